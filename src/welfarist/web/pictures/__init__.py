"""Pictures as SVG, readable in grey: every text in them is escaped, and each says what it shows."""

"""How a report looks: dark on white, calm, on a screen, a phone and A4 paper."""

STYLE = """
:root { --ink: #1b1f24; --soft: #57606a; --line: #d8dee4; --tint: #f3f6f9; --mark: #0072b2;
  --warn: #a33b00; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 4rem; max-width: 46rem; background: #fff;
  color: var(--ink); font: 1.05rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.9rem; line-height: 1.25; margin: 0 0 1.5rem; }
h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.75rem 0 0.75rem; }
p { margin: 0.75rem 0; }
.answer {
  background: var(--tint); border-left: 4px solid var(--mark); padding: 1rem 1.25rem;
  font-size: 1.15rem; margin: 0 0 1rem;
}
.answer p { margin: 0; }
.answer p + p { margin-top: 0.6rem; }
.but::first-line { font-weight: 600; }
.note { color: var(--soft); margin: -1rem 0 1.5rem; }
.warning {
  border: 2px solid var(--warn); color: var(--warn); font-weight: 600; padding: 0.6rem 1rem;
  margin: 0 0 1.5rem;
}
sup { line-height: 0; }
.soft, figcaption, caption, footer { color: var(--soft); font-size: 0.92rem; }
figure { margin: 1.5rem 0; text-align: center; }
figure img { max-width: 100%; height: auto; }
figcaption { text-align: left; margin-top: 0.5rem; }
.wide { overflow-x: auto; margin: 1.25rem 0; }
table { border-collapse: collapse; width: 100%; font-size: 0.95rem; overflow-wrap: normal; }
caption { text-align: left; padding-bottom: 0.5rem; }
th, td {
  padding: 0.4rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; font-variant-numeric: tabular-nums;
}
thead th { border-bottom: 2px solid var(--ink); font-weight: 600; }
th[scope="row"], .words { text-align: left; }
th[scope="row"] { font-weight: 500; overflow-wrap: break-word; max-width: 24rem; }
ul { padding-left: 1.25rem; }
summary { cursor: pointer; color: var(--mark); }
li { margin: 0.4rem 0; }
footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
@media (max-width: 34rem) {
  body { font-size: 1rem; padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.5rem; }
  table { font-size: 0.88rem; }
  th, td { padding: 0.35rem 0.3rem; }
  th[scope="row"] { max-width: 11rem; }
  figure img { width: 100%; }
}
@media screen and (max-width: 34rem) {
  /* A table that is wider than the screen is pushed aside, its caption is not. */
  caption { position: sticky; left: 0; max-width: calc(100vw - 2rem); }
  .cards thead { display: none; }
  .cards table, .cards caption, .cards tbody, .cards tr, .cards td, .cards th {
    display: block; max-width: none;
  }
  .cards tr { border-bottom: 1px solid var(--line); padding: 0.6rem 0; }
  .cards td, .cards th[scope="row"] { border: 0; padding: 0.1rem 0; text-align: left; }
  .cards [data-name]::before { content: attr(data-name) ": "; color: var(--soft); }
}
@page { size: A4; margin: 15mm 16mm; }
@media print {
  html { font-size: 10pt; }
  body { max-width: none; padding: 0; font-size: 1rem; line-height: 1.4; }
  p, li { orphans: 3; widows: 3; }
  h2 { break-after: avoid; margin-top: 1.4rem; }
  /* A heading stays with its figure, and no row of a table stands on a page alone. */
  section, header, footer, figure, .answer, .wide, tr, li { break-inside: avoid; }
  /* Nor do the last lines: they take the section before them along. */
  section:last-of-type, footer { break-before: avoid; }
  section > :last-child { margin-bottom: 0; }
  footer { margin-top: 1rem; }
  figure { margin: 0.75rem 0; }
  figure img { max-height: 62mm; }
  figure.tall img { max-height: 150mm; }
  th, td { padding: 0.25rem 0.5rem; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
  .answer { background: none; }
}
"""

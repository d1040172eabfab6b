"""Power means of what people have beyond what they need: where zero is, is learned."""

/** Warning that a test without `ai_model` used the embedded model instead of the vendor's. */
export function embeddedModelWarning(model: string): string {
  return `The embedded model was used, because there is no key for ${model}. Save one (mcp models login anthropic) or set ANTHROPIC_API_KEY.`
}

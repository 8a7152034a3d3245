/** The documented model of each vendor (service interface 4.2, docs/decisions/contract.md). */
export const VENDOR_MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.2' } as const

/** Model that the package contains. It needs no key and no network. */
export const EMBEDDED_MODEL = 'embedded'

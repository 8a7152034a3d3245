/** Documented credential formats. Bounded lengths keep the search linear. */
const SECRETS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,200}/g, // Anthropic, OpenAI
  /\bgh[pousr]_[A-Za-z0-9]{20,200}/g, // GitHub
  /\bgithub_pat_[A-Za-z0-9_]{20,200}/g,
  /\bglpat-[A-Za-z0-9_-]{16,100}/g, // GitLab
  /\bxox[abprs]-[A-Za-z0-9-]{10,200}/g, // Slack
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, // AWS
  /\bAIza[A-Za-z0-9_-]{35}/g, // Google
  /\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,1000}/g, // JSON Web Tokens
  /(?<=\bBearer )[A-Za-z0-9._~+/-]{16,2000}/gi,
  /(?<="(?:password|passwd|secret|api[_-]?key|access[_-]?token|refresh[_-]?token|client[_-]?secret)":")[^"\\]{1,500}/gi,
]

/** Replaces everything that looks like a credential. */
export function redactSecrets(text: string): string {
  return SECRETS.reduce((redacted, pattern) => redacted.replace(pattern, '<secret>'), text)
}

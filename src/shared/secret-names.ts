const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)(_|$)/i

/** True for names such as `API_KEY` and for URLs with a password. */
export function looksSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) || Boolean(URL.parse(value)?.password)
}

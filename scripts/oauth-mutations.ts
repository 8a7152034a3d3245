import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Takes the defences of the OAuth component out, one at a time and in a copy, and runs the tests that stand beside them in the threat
 * table of docs/oauth.md: each must fail. `npx node scripts/oauth-mutations.ts [part of a name]`; ends with 1 when an attack goes unseen.
 */
interface Mutation {
  /** What the attacker gains. */
  attack: string
  /** Below src/sdk/oauth. */
  file: string
  defence: string
  without: string
  /** Below test/sdk/oauth. */
  tests: string
}

const MUTATIONS: readonly Mutation[] = [
  {
    attack: 'a code works twice',
    file: 'tokens/redeem-code.ts',
    defence: "insert('spent', `code ${key}`,",
    without: "insert('spent', `code ${key} ${Math.random()}`,",
    tests: 'attacks/codes',
  },
  {
    attack: 'a code that came twice leaves what it gave',
    file: 'tokens/redeem-code.ts',
    defence: 'await revokeGrant(component, spent.grantId)',
    without: '',
    tests: 'attacks/codes',
  },
  {
    attack: "another client's code is taken",
    file: 'tokens/redeem-code.ts',
    defence: '!record || record.clientId !== client.client_id',
    without: '!record',
    tests: 'attacks/codes',
  },
  {
    attack: 'an injected code is taken: another verifier',
    file: 'tokens/redeem-code.ts',
    defence: 'if (!matchesChallenge(verifier, record.codeChallenge)) throw invalidGrant()',
    without: '',
    tests: 'attacks/codes',
  },
  {
    attack: 'an injected code is taken: no verifier',
    file: 'tokens/redeem-code.ts',
    defence:
      "if (verifier === undefined) throw new OAuthError('invalid_request', 'The request lacks a code_verifier.')",
    without: 'if (verifier === undefined) return',
    tests: 'attacks/codes',
  },
  {
    attack: 'a code is redeemed for another address',
    file: 'tokens/redeem-code.ts',
    defence: 'if (redirectUri !== undefined && redirectUri !== record.redirectUri) throw invalidGrant()',
    without: '',
    tests: 'attacks/codes',
  },
  {
    attack: 'PKCE is left out',
    file: 'rules/authorization-request.ts',
    defence: "throw new OAuthError('invalid_request', 'PKCE is required: send a code_challenge.')",
    without: "return 'a'.repeat(43)",
    tests: 'attacks/codes',
  },
  {
    attack: 'PKCE is downgraded to plain',
    file: 'rules/authorization-request.ts',
    defence: "parameters.get('code_challenge_method') !== 'S256'",
    without: 'false',
    tests: 'attacks/codes',
  },
  {
    attack: 'a refresh token works twice',
    file: 'tokens/redeem-refresh-token.ts',
    defence: 'if (generation !== family.generation) return refuseReuse(component, client, token)',
    without: '',
    tests: 'attacks/codes',
  },
  {
    attack: 'a refresh token that came twice ends nothing',
    file: 'tokens/redeem-refresh-token.ts',
    defence: 'await revokeGrant(component, grantId)',
    without: '',
    tests: 'attacks/codes',
  },
  {
    attack: "another client's refresh token is taken",
    file: 'tokens/refresh-token.ts',
    defence: 'sealer.authenticate(PURPOSE, [clientId, grantId, generation]))',
    without: 'mac)',
    tests: 'attacks/codes',
  },
  {
    attack: 'a confidential client needs no secret',
    file: 'clients/authenticate-client.ts',
    defence: 'return secret !== undefined && equalSecrets(hashToken(secret), client.secretHash)',
    without: 'return true',
    tests: 'attacks/codes',
  },
  {
    attack: 'the time of a comparison tells the secret',
    file: 'clients/authenticate-client.ts',
    defence: 'equalSecrets(hashToken(secret), client.secretHash)',
    without: 'hashToken(secret) === client.secretHash',
    tests: 'attacks/timing',
  },
  {
    attack: 'redirects: anything that begins like a registered address',
    file: 'rules/redirect-uri.ts',
    defence: 'uri === requested ||',
    without: 'requested.startsWith(uri) ||',
    tests: 'rules/redirect-uri',
  },
  {
    attack: 'redirects: another path of loopback',
    file: 'rules/redirect-uri.ts',
    defence: "&& (left[2] ?? '/') === (right[2] ?? '/')",
    without: '',
    tests: 'rules/redirect-uri',
  },
  {
    attack: 'redirects: another loopback host',
    file: 'rules/redirect-uri.ts',
    defence: 'left[1] === right[1] &&',
    without: '',
    tests: 'rules/redirect-uri',
  },
  {
    attack: 'redirects: a user name hides the host',
    file: 'rules/redirect-uri.ts',
    defence: "if (url.username || url.password) return 'has a user name or password'",
    without: '',
    tests: 'rules/redirect-uri',
  },
  {
    attack: 'redirects: a scheme that runs script',
    file: 'rules/redirect-uri.ts',
    defence: 'if (FORBIDDEN_SCHEMES.has(url.protocol)) return',
    without: 'if (url.protocol === "none:") return',
    tests: 'rules/redirect-uri',
  },
  {
    attack: 'redirects: a fragment',
    file: 'rules/redirect-uri.ts',
    defence: "if (uri.includes('#')) return 'has a fragment'",
    without: '',
    tests: 'rules/redirect-uri',
  },
  {
    attack: 'redirects: unicode, and what parsers rewrite',
    file: 'rules/redirect-uri.ts',
    defence: '!/^[\\x21-\\x7e]+$/.test(uri) || /[\\\\*]/.test(uri)',
    without: 'false',
    tests: 'rules/redirect-uri',
  },
  {
    attack: 'open redirect by an address that is not registered',
    file: 'rules/authorization-request.ts',
    defence: 'if (isRegisteredRedirect(client.redirect_uris, requested)) return requested',
    without: 'return requested',
    tests: 'attacks/browsers',
  },
  {
    attack: 'open redirect by an error',
    file: 'endpoints/authorize.ts',
    defence: "if (client.origin === 'configured' || isLoopbackRedirect(redirectUri))",
    without: '',
    tests: 'registration',
  },
  {
    attack: 'a parameter comes twice',
    file: 'rules/parameters.ts',
    defence: 'if (REPEATABLE.has(name) || search.getAll(name).length === 1) continue',
    without: 'continue',
    tests: 'attacks/browsers',
  },
  {
    attack: 'confused deputy: nobody is asked',
    file: 'endpoints/authorize.ts',
    defence: 'if (client.skipConsent && providerId !== undefined)',
    without: 'if (providerId !== undefined)',
    tests: 'attacks/browsers',
  },
  {
    attack: "consent is forged by another site's form",
    file: 'endpoints/consent.ts',
    defence: 'if (origin === null || origin === new URL(issuer).origin) return',
    without: 'if (origin !== "x") return',
    tests: 'attacks/browsers',
  },
  {
    attack: "consent is forged with the attacker's own ticket",
    file: 'endpoints/consent.ts',
    defence:
      'const isOurs = ticket && browser !== undefined && equalSecrets(hashToken(browser), ticket.browserHash)',
    without: 'const isOurs = ticket && (browser ?? true)',
    tests: 'attacks/browsers',
  },
  {
    attack: 'the consent page is framed',
    file: 'pages/html.ts',
    defence: '"frame-ancestors \'none\'",',
    without: '',
    tests: 'attacks/browsers',
  },
  {
    attack: 'script in the name of a client',
    file: 'pages/html.ts',
    defence: 'return text.replace(/[&<>"\']/g, character => ENTITIES[character]!)',
    without: 'return text + (ENTITIES[""] ?? "")',
    tests: 'attacks/browsers',
  },
  {
    attack: 'state is fixed: a sign-in ends in another browser',
    file: 'endpoints/callback.ts',
    defence: 'browser !== undefined && equalSecrets(hashToken(browser), signIn.browserHash)',
    without: '(browser ?? true)',
    tests: 'attacks/browsers',
  },
  {
    attack: 'a sign-in ends twice',
    file: 'endpoints/callback.ts',
    defence: "(await storage.insert('spent', `sign-in ${key}`, {}, now() + SIGN_IN_TTL_SECONDS))",
    without: '(now() + SIGN_IN_TTL_SECONDS > 0)',
    tests: 'attacks/browsers',
  },
  {
    attack: 'the consent of another user counts',
    file: 'endpoints/callback.ts',
    defence: 'if (signIn.expectedSubject !== undefined && signIn.expectedSubject !== account.subject) {',
    without: 'if (account.subject === "") {',
    tests: 'remembered-consent',
  },
  {
    attack: 'mix-up of two providers: by `iss`',
    file: 'upstream/finish-sign-in.ts',
    defence: 'const answer = withKnownIssuer(upstream, server, callback)',
    without: "const answer = withKnownIssuer(upstream, server, callback)\n    answer.delete('iss')",
    tests: 'attacks/identity-providers',
  },
  {
    attack: 'mix-up of two providers: at the address of another',
    file: 'endpoints/callback.ts',
    defence: '|| url.pathname !== new URL(signIn.redirectUri).pathname',
    without: '',
    tests: 'attacks/identity-providers',
  },
  {
    attack: 'an ID token with a forged signature',
    file: 'upstream/finish-sign-in.ts',
    defence: 'await validateApplicationLevelSignature(server, response, requestOptions(server.jwks_uri))',
    without: 'void validateApplicationLevelSignature',
    tests: 'attacks/identity-providers',
  },
  {
    attack: 'an ID token of another sign-in',
    file: 'upstream/finish-sign-in.ts',
    defence: 'expectedNonce: nonce,',
    without:
      'expectedNonce: JSON.parse(Buffer.from(((await response.clone().json()) as { id_token: string }).id_token.split(".")[1]!, "base64url").toString()).nonce ?? nonce,',
    tests: 'attacks/identity-providers',
  },
  {
    attack: 'alg: none and key confusion',
    file: 'tokens/verify-access-token.ts',
    defence: 'algorithms: [algorithm],',
    without: '',
    tests: 'attacks/tokens',
  },
  {
    attack: 'another JWT of the same key is a token',
    file: 'tokens/verify-access-token.ts',
    defence: 'typ: ACCESS_TOKEN_TYPE,',
    without: '',
    tests: 'attacks/tokens',
  },
  {
    attack: 'audience confusion: a token for another server',
    file: 'tokens/verify-access-token.ts',
    defence: 'if (audience === undefined || isFor(claims, audience)) return claims',
    without: 'return claims',
    tests: 'attacks/tokens',
  },
  {
    attack: 'audience confusion: a token for whatever is asked',
    file: 'rules/resource.ts',
    defence: ': allowed.includes(canonical))',
    without: ': true)',
    tests: 'rules/rules attacks/browsers',
  },
  {
    attack: "a provider's token is handed on",
    file: 'tokens/issue-tokens.ts',
    defence: 'if (leaksUpstreamToken(mapped, account))',
    without: 'if (false)',
    tests: 'proxy',
  },
  {
    attack: 'a revoked token is taken',
    file: 'tokens/standing-token.ts',
    defence: 'if (marks.some(mark => mark !== undefined))',
    without: 'if (marks.length === 0)',
    tests: 'attacks/codes restart',
  },
  {
    attack: 'registration flood: of one address',
    file: 'endpoints/register.ts',
    defence: 'if (waitSeconds > 0) throw tooMany(waitSeconds)',
    without: '',
    tests: 'registration',
  },
  {
    attack: 'registration flood: of all',
    file: 'endpoints/register.ts',
    defence: "if ((await storage.count('new-client')) >= MAX_UNUSED_CLIENTS) throw tooMany(3600)",
    without: '',
    tests: 'registration',
  },
  {
    attack: 'a metadata document at a private address, or after rebinding',
    file: 'clients/public-address.ts',
    defence: "if (isIPv4(address)) return !reserved.check(address, 'ipv4')",
    without: 'if (isIPv4(address)) return true',
    tests: 'clients/public-address clients/fetch-document clients/metadata-document',
  },
  {
    attack: "somebody else's metadata document",
    file: 'clients/document-reader.ts',
    defence:
      "if (document.client_id !== url) throw invalid('The client_id in the metadata document is not its address.')",
    without: '',
    tests: 'clients/metadata-document',
  },
  {
    attack: 'a token in the address is taken',
    file: 'resource/bearer.ts',
    defence: 'await resource.authenticate(request.headers.authorization)',
    without:
      'await resource.authenticate(`Bearer ${new URL(request.url!, "http://x").searchParams.get("access_token")}`)',
    tests: 'adapters',
  },
  {
    attack: 'a body without end',
    file: 'http/request-body.ts',
    defence: 'if (bytes > maxBytes) {',
    without: 'if (bytes > 1e12) {',
    tests: 'registration adapters',
  },
  {
    attack: 'secrets in the log',
    file: 'oauth-event.ts',
    defence: "return reasons.join('; because of ')",
    without: "return process.getBuiltinModule('node:util').inspect(error, { depth: null, showHidden: true })",
    tests: 'attacks/identity-providers',
  },
  {
    attack: "the provider's tokens lie open in the database",
    file: 'endpoints/callback.ts',
    defence: "account: component.sealer.seal('account', account),",
    without: 'account: JSON.stringify(account),',
    tests: 'restart',
  },
  {
    attack: 'a code lies open in the database',
    file: 'endpoints/callback.ts',
    defence: "component.storage.put('code', hashToken(code), record, expiresAt),",
    without: "component.storage.put('code', hashToken(code), { ...record, code }, expiresAt),",
    tests: 'restart',
  },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'oauth-mutations-'))
for (const folder of ['src', 'test', 'package.json', 'tsconfig.json'])
  cpSync(join(root, folder), join(copy, folder), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
writeFileSync(
  join(copy, 'vitest.config.ts'),
  'export default { test: { testTimeout: 60000, hookTimeout: 60000 } }\n',
)

try {
  const only = process.argv[2] ?? ''
  const unseen = MUTATIONS.filter(({ attack }) => attack.includes(only)).filter(mutation => !isSeen(mutation))
  process.exitCode = unseen.length === 0 ? 0 : 1
  console.log(unseen.length === 0 ? 'every attack is seen' : `${unseen.length} attacks are unseen`)
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function isSeen({ attack, file, defence, without, tests }: Mutation): boolean {
  const path = join(copy, 'src/sdk/oauth', file)
  const source = readFileSync(path, 'utf8')
  if (!source.includes(defence)) throw new Error(`${file} does not hold: ${defence}`)
  writeFileSync(
    path,
    source.replace(defence, () => without),
  )
  try {
    const files = tests.split(' ').map(name => `test/sdk/oauth/${name}.test.ts`)
    const { status, stdout } = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', ...files],
      { cwd: copy, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } },
    )
    const failed = /^ *(?:FAIL|×) +(.+)$/m.exec(stdout)?.[1] ?? ''
    console.log(status === 0 ? `UNSEEN  ${attack}` : `seen    ${attack}  (${failed.trim()})`)
    return status !== 0
  } finally {
    writeFileSync(path, source)
  }
}

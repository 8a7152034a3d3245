import type { DeploymentStatus } from '../../../../shared/contract/deployments/deployments.ts'
import { Copyable, CopyButton } from '../../../components/copy.tsx'
import { Fact, Facts } from '../../../components/figures/facts.tsx'
import { Text } from '../../../components/text.tsx'
import { plainSeconds } from './configuration/plain-settings.ts'

const DEFAULT_SCOPES = ['openid', 'profile', 'email']
const DEFAULT_TOKEN_SECONDS = 3600

/** Facts about the sign-in. The provider's secret is not shown, so only a deployment from the project can change them. */
export function SignIn({
  deployment: { config, environment, mcp_id, sign_in },
}: {
  deployment: DeploymentStatus
}) {
  const { auth } = config
  return (
    <section class="section" aria-labelledby="sign-in">
      <h2 id="sign-in">Sign-in</h2>
      {auth ? (
        <Facts>
          <Fact name="Identity provider">
            {auth.provider === 'local' ? 'this daemon (local)' : auth.provider}
          </Fact>
          <Fact name="Client id">
            {auth.client_id !== undefined && <Text value={auth.client_id} max={200} />}
          </Fact>
          <Fact name="Scopes">
            <Text value={(auth.scopes ?? DEFAULT_SCOPES).join(' ')} max={400} />
          </Fact>
          <Fact name="Required scopes">
            <Text value={auth.required_scopes?.join(' ') || 'none'} max={400} />
          </Fact>
          <Fact name="Lifetime of access tokens">
            {plainSeconds(auth.token_ttl ?? DEFAULT_TOKEN_SECONDS)}
          </Fact>
          {sign_in && (
            <>
              <UrlFact name="Issuer of tokens" url={sign_in.issuer} />
              {auth.provider !== 'local' && <UrlFact name="Callback URL" url={sign_in.callback_url} />}
            </>
          )}
        </Facts>
      ) : (
        <>
          <p class="muted">Every client on this machine may use the server. To require sign-in:</p>
          <Copyable text={`mcp deploy ${mcp_id} --env ${environment} --auth local`} what="the command" />
        </>
      )}
    </section>
  )
}

function UrlFact({ name, url }: { name: string; url: string }) {
  return (
    <Fact name={name} wide>
      <code>{url}</code> <CopyButton text={url} what={`the ${name.toLowerCase()}`} />
    </Fact>
  )
}

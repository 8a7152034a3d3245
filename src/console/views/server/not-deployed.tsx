import { Copyable } from '../../components/copy.tsx'

/** A server that was built and never deployed. */
export function NotDeployed({ name }: { name: string }) {
  return (
    <div class="empty">
      <h1>{name}</h1>
      <p>This server is built but not deployed. This command deploys its newest build:</p>
      <Copyable text={`mcp deploy ${name} --env development`} what="the command" />
    </div>
  )
}

import { Dialog } from '../../../components/dialog.tsx'
import { shown } from '../../../components/text.tsx'
import type { Params } from '../../../mcp/messages.ts'
import type { Place } from './place.ts'

interface DestructiveProps {
  tool: string
  place: Place
  args: Params
  onConfirm(): void
  onClose(): void
}

/** Asks before a tool that can delete or overwrite something. */
export function DestructiveDialog({ tool, place, args, onConfirm, onClose }: DestructiveProps) {
  return (
    <Dialog
      title={`Run ${shown(tool, 100)} in ${place.environment}?`}
      confirm="Run"
      danger
      onConfirm={async () => onConfirm()}
      onClose={onClose}
    >
      <p>The server says that this tool may delete or overwrite something. It gets these arguments:</p>
      <pre class="sf-text">{shown(JSON.stringify(args, null, 2), 5000)}</pre>
    </Dialog>
  )
}

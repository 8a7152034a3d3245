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

/** Asks for confirmation before a tool that can delete or overwrite data. */
export function DestructiveDialog({ tool, place, args, onConfirm, onClose }: DestructiveProps) {
  return (
    <Dialog
      title={`Run ${shown(tool, 100)} in ${place.environment}?`}
      confirm="Run"
      danger
      onConfirm={async () => onConfirm()}
      onClose={onClose}
    >
      <p>
        According to the server, this tool may delete or overwrite data. It is called with these arguments:
      </p>
      <pre class="sf-text">{shown(JSON.stringify(args, null, 2), 5000)}</pre>
    </Dialog>
  )
}

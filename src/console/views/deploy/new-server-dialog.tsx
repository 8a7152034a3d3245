import { useSignal } from '@preact/signals'
import { useAttempts } from '../../api/attempts.ts'
import { Dialog } from '../../components/dialog.tsx'
import { navigate } from '../../router/router.ts'
import { serverPath } from '../paths.ts'
import { DefinitionField } from './definition-field.tsx'
import { definitionText } from './definition-text.ts'
import { openDeployDialog } from './deploy-button.tsx'
import { deployDefinition } from './deploy-definition.ts'
import { EXAMPLES } from './examples.ts'

const STARTS = EXAMPLES.map(({ title, definition }) => ({ title, text: JSON.stringify(definition, null, 2) }))

/**
 * Builds a definition, deploys it to development and opens the playground of the server. If the server needs variables, the next
 * dialog asks for their values.
 */
export function NewServerDialog({ onClose }: { onClose(): void }) {
  const text = useSignal(STARTS[0]!.text)
  const example = STARTS.find(one => one.text === text.value)?.title
  const choices = useSignal(0)
  const attempt = useAttempts()
  const deploy = async (closed: AbortSignal) => {
    text.value = await definitionText(text.value)
    const { name, needs } = await attempt(send => deployDefinition(send, text.value))
    if (closed.aborted) return
    if (needs) await openDeployDialog(needs)
    else navigate(serverPath(name, '/playground', 'development'))
  }
  const choose = (title: string) => {
    text.value = STARTS.find(one => one.title === title)!.text
    choices.value++
  }
  return (
    <Dialog
      wide
      title="New server"
      confirm="Deploy to development"
      onConfirm={deploy}
      subject={choices.value}
      onClose={onClose}
    >
      <label class="field">
        Example
        <select class="input" value={example ?? ''} onChange={event => choose(event.currentTarget.value)}>
          {example === undefined && <option value="">None (your own text)</option>}
          {STARTS.map(({ title }) => (
            <option key={title}>{title}</option>
          ))}
        </select>
      </label>
      {/* A new field for each example, because the file field would still name the file before it. */}
      <DefinitionField key={choices.value} text={text}>
        <p class="muted">
          The content of an <code>mcp.config.json</code>, or an OpenAPI description (JSON or YAML), whose
          operations become tools. A server with this name in development is replaced.
        </p>
      </DefinitionField>
    </Dialog>
  )
}

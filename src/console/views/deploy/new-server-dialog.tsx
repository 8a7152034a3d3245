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

/**
 * Builds a definition, deploys it to development and opens the playground of the server. If the server needs variables, the next
 * dialog asks for their values.
 */
export function NewServerDialog({ onClose }: { onClose(): void }) {
  const text = useSignal(textOf(EXAMPLES[0]!.definition))
  const attempt = useAttempts()
  const deploy = async (closed: AbortSignal) => {
    text.value = await definitionText(text.value)
    const { name, needs } = await attempt(send => deployDefinition(send, text.value))
    if (closed.aborted) return
    if (needs) await openDeployDialog(needs)
    else navigate(serverPath(name, '/playground', 'development'))
  }
  const choose = (title: string) => {
    text.value = textOf(EXAMPLES.find(example => example.title === title)!.definition)
  }
  return (
    <Dialog wide title="New server" confirm="Deploy to development" onConfirm={deploy} onClose={onClose}>
      <label class="field">
        Example
        <select class="input" onChange={event => choose(event.currentTarget.value)}>
          {EXAMPLES.map(({ title }) => (
            <option key={title}>{title}</option>
          ))}
        </select>
      </label>
      <DefinitionField text={text}>
        <p class="muted">
          The content of an <code>mcp.config.json</code>, or an OpenAPI description (JSON or YAML), whose
          operations become tools. A server with this name in development is replaced.
        </p>
      </DefinitionField>
    </Dialog>
  )
}

function textOf(definition: object): string {
  return JSON.stringify(definition, null, 2)
}

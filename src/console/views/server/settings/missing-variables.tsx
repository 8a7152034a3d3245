import { Button } from '../../../components/button.tsx'
import { Tag } from '../../../components/state.tsx'
import { Text } from '../../../components/text.tsx'
import type { Edited } from './variable-dialog.tsx'
import type { MissingVariable } from './variables.ts'

/** Variables that the newest build declares and that have no value. */
export function MissingVariables({
  missing,
  onSet,
}: {
  missing: readonly MissingVariable[]
  onSet(variable: Edited): void
}) {
  if (missing.length === 0) return null
  return (
    <ul class="missing">
      {missing.map(({ name, required, secret, description }) => (
        <li key={name}>
          <div>
            <code>{name}</code> {required ? <Tag tone="failed">required, no value</Tag> : <Tag>no value</Tag>}
            {description && (
              <p class="muted wrap">
                <Text value={description} max={500} />
              </p>
            )}
          </div>
          <Button onClick={() => onSet({ name, value: '', secret, isNew: false })}>
            Set<span class="hidden"> {name}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

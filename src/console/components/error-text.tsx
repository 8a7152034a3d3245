import './error-text.css'
import { HostingError, type NextStep } from '../../shared/errors.ts'
import { detailLines } from '../../shared/format/detail-lines.ts'
import { Copyable } from './copy.tsx'
import { Text } from './text.tsx'

/** Message, details and next steps of an error, as the command line prints them. */
export function ErrorText({ error }: { error: Error }) {
  const details = error instanceof HostingError ? detailLines(error).join('\n') : ''
  const next = error instanceof HostingError ? error.next : []
  return (
    <div class="error-text">
      <p class="wrap">
        <Text value={error.message} />
      </p>
      {details && (
        <p class="muted wrap lines">
          <Text value={details} />
        </p>
      )}
      {next.map(step => (
        <Next key={step.description} step={step} />
      ))}
    </div>
  )
}

/** Next step, with its command. */
export function Next({ step: { description, command } }: { step: NextStep }) {
  return (
    <div class="next">
      <p class="muted">{command ? `${description}:` : description}</p>
      {command && <Copyable text={command} what="the command" />}
    </div>
  )
}

import { Button } from '../button.tsx'
import { CopyButton } from '../copy.tsx'
import { shown } from '../text.tsx'
import { detailsOf, type LogLine, withoutEscapes } from './log-text.ts'

const MESSAGE_LENGTH = 50_000

/** All fields of one line. */
export function LineDetails({ line, onClose }: { line: LogLine; onClose(): void }) {
  return (
    <section class="line-details" aria-label="Selected line">
      <div class="line-head">
        <span class="mono">{new Date(line.timestamp).toLocaleString()}</span>
        <span class="grow">{line.level}</span>
        <CopyButton text={line.message} what="the message" />
        <Button kind="quiet" icon="close" label="Close the details" onClick={onClose} />
      </div>
      <pre class="wrap">
        <bdi>{shown(withoutEscapes(line.message), MESSAGE_LENGTH)}</bdi>
      </pre>
      <dl>
        {detailsOf(line).map(([name, value]) => (
          <div key={name}>
            <dt>{shown(name, 80)}</dt>
            <dd class="mono wrap">
              <bdi>{shown(withoutEscapes(value))}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

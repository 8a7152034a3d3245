import { useSignal } from '@preact/signals'
import { formatBytes } from '../../../shared/format/metric-format.ts'
import { kindOf, plain } from '../model/state.ts'
import { placeholder } from './placeholder.ts'
import { controlAttributes, type WidgetProps } from './widget.ts'

/** A request with a larger file exceeds what servers accept. */
const MAX_BYTES = 10e6
/** Longer text is not shown in the input. */
const MAX_SHOWN = 2000

/** A file as base64 text or as a data URL. The text can be typed as well. */
export function FileField(props: WidgetProps) {
  const { field, label, onChange } = props
  const fault = useSignal('')
  const pick = async (file: File | undefined) => {
    if (!file) return
    const isTooLarge = file.size > MAX_BYTES
    fault.value = isTooLarge ? `The file is ${formatBytes(file.size)}. Choose a file of at most 10 MB.` : ''
    if (!isTooLarge) onChange(await readFile(file, field.schema.format === 'data-url'))
  }
  return (
    <span class="sf-with-button">
      <FileText {...props} />
      <input
        type="file"
        aria-label={`File for ${label}`}
        accept={acceptOf(field.schema.contentMediaType)}
        onChange={event => pick(event.currentTarget.files?.[0])}
      />
      {fault.value && (
        <span role="alert" class="sf-hint">
          {fault.value}
        </span>
      )}
    </span>
  )
}

function FileText(props: WidgetProps) {
  const { state, onChange, id } = props
  const text = kindOf(state) === 'string' ? (plain(state) as string) : ''
  if (text.length > MAX_SHOWN) return <output id={id}>{formatBytes((text.length * 3) / 4)}</output>
  return (
    <input
      {...controlAttributes(props)}
      type="text"
      value={text}
      placeholder={placeholder(props) || 'base64'}
      onInput={event => onChange(event.currentTarget.value || undefined)}
    />
  )
}

function acceptOf(mediaType: unknown): string | undefined {
  return typeof mediaType === 'string' && /^[\w.+-]+\/[\w.+*-]+$/.test(mediaType) ? mediaType : undefined
}

function readFile(file: File, isDataUrl: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onerror = () => reject(reader.error)
    reader.onload = () => {
      const url = reader.result as string
      resolve(isDataUrl ? url : url.slice(url.indexOf(',') + 1))
    }
    reader.readAsDataURL(file)
  })
}

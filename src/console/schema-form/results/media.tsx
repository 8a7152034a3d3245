import { useEffect, useState } from 'preact/hooks'
import { formatBytes } from '../../../shared/format/metric-format.ts'

/** Larger images and audio would make the page slow. */
const MAX_BYTES = 10e6

/** Formats that cannot contain scripts or load anything. SVG can be downloaded. */
const SHOWN = {
  image: /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/,
  audio: /^audio\/(?:mpeg|mp3|wav|wave|x-wav|ogg|webm|mp4|aac|flac)$/,
} as const

interface MediaProps {
  /** Base64. */
  data: unknown
  mimeType: unknown
}

/** Image or audio from base64. Anything else is a file to download. */
export function Media({ data, mimeType }: MediaProps) {
  const text = typeof data === 'string' ? data : ''
  const type = typeof mimeType === 'string' ? mimeType.toLowerCase().slice(0, 100) : ''
  const size = Math.floor((text.length * 3) / 4)
  const kind = SHOWN.image.test(type) ? 'image' : SHOWN.audio.test(type) ? 'audio' : 'file'
  const about = `${/^[\w.+/-]+$/.test(type) ? type : 'unknown type'}, ${formatBytes(size)}`
  if (size > MAX_BYTES) return <p class="sf-about">Not shown: {about}. At most 10 MB are shown.</p>
  return <BlobView key={text} kind={kind} text={text} type={type} about={about} />
}

interface BlobProps {
  kind: 'image' | 'audio' | 'file'
  text: string
  type: string
  about: string
}

function BlobView({ kind, text, type, about }: BlobProps) {
  const url = useBlobUrl(text, kind === 'file' ? 'application/octet-stream' : type)
  const [isBroken, setBroken] = useState(false)
  if (url === null || isBroken) return <p class="sf-about">Cannot be shown: {about}. The data is invalid.</p>
  const fail = () => setBroken(true)
  return (
    <figure class="sf-media">
      {kind === 'image' && url && (
        <img src={url} alt={`Result of the call: ${about}`} decoding="async" onError={fail} />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: servers send no captions. */}
      {kind === 'audio' && url && <audio src={url} controls aria-label={`Sound: ${about}`} onError={fail} />}
      <figcaption>
        {about}{' '}
        {url && (
          <a class="sf-link" href={url} download="result">
            Download
          </a>
        )}
      </figcaption>
    </figure>
  )
}

/** Undefined before the first effect, null when the text is not base64. */
function useBlobUrl(text: string, type: string): string | null | undefined {
  const [url, setUrl] = useState<string | null>()
  useEffect(() => {
    const bytes = decodeBase64(text)
    const created = bytes && URL.createObjectURL(new Blob([bytes], { type }))
    setUrl(created ?? null)
    return () => created && URL.revokeObjectURL(created)
  }, [text, type])
  return url
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

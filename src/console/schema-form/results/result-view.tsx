import { useSignal } from '@preact/signals'
import { ShowMore } from '../fields/buttons.tsx'
import { isSchemaObject, type SchemaObject } from '../model/schema-document.ts'
import { JsonTree } from './json-tree.tsx'
import { Media } from './media.tsx'
import { ResourceLink } from './resource-link.tsx'
import { TextBlock } from './text-block.tsx'

const PAGE = 50

interface ResultProps {
  /** Result of `tools/call`, as received. */
  result: unknown
  /** Name of the region. */
  label?: string
  /** Reads a resource that the result points to. */
  onReadResource?: (uri: string) => void
}

/** Result of a tool. Everything in it is shown as text, never as markup. */
export function ResultView({ result, label = 'Result', onReadResource }: ResultProps) {
  const limit = useSignal(PAGE)
  if (!isSchemaObject(result)) return <JsonTree value={result} />
  const { isError, structuredContent } = result
  const content = Array.isArray(result.content) ? result.content : []
  return (
    <section class="sf-result" aria-label={label}>
      {isError === true && (
        <p class="sf-error" role="alert">
          The tool reported an error.
        </p>
      )}
      {structuredContent !== undefined && <JsonTree name="structuredContent" value={structuredContent} />}
      {content.slice(0, limit.value).map((block, index) => (
        <Block key={index} block={block} structured={structuredContent} onRead={onReadResource} />
      ))}
      <ShowMore
        left={content.length - limit.value}
        page={PAGE}
        noun="parts"
        onClick={() => (limit.value += PAGE)}
      />
    </section>
  )
}

interface BlockProps {
  block: unknown
  /** Structured content of the same result. */
  structured: unknown
  onRead?: (uri: string) => void
}

/** One content block. Blocks of unknown types are shown as received. */
function Block({ block, structured, onRead }: BlockProps) {
  if (!isSchemaObject(block)) return <JsonTree value={block} />
  const { type, text, data, mimeType, uri, resource } = block
  if (type === 'text' && typeof text === 'string') return <TextBlock text={text} structured={structured} />
  if (type === 'image' || type === 'audio') return <Media data={data} mimeType={mimeType} />
  if (type === 'resource_link' && typeof uri === 'string')
    return <ResourceLink {...linkOf(block, uri)} onRead={onRead} />
  if (type === 'resource' && isSchemaObject(resource)) return <Resource resource={resource} />
  return <JsonTree value={block} />
}

/** A resource embedded in the result. */
function Resource({ resource }: { resource: SchemaObject }) {
  const { uri, text, blob, mimeType } = resource
  return (
    <div>
      {typeof uri === 'string' && <ResourceLink {...linkOf(resource, uri)} />}
      {typeof text === 'string' && <TextBlock text={text} />}
      {typeof blob === 'string' && <Media data={blob} mimeType={mimeType} />}
    </div>
  )
}

function linkOf({ title, name, description }: SchemaObject, uri: string) {
  const texts = [title, name].filter(text => typeof text === 'string' && text !== '') as string[]
  return { uri, name: texts[0], description: typeof description === 'string' ? description : undefined }
}

import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { JsonEditor } from '../../../components/json-editor/json-editor.tsx'
import { isObject, textOf } from '../../../mcp/messages.ts'
import { createForm, SchemaForm } from '../../../schema-form/main.ts'
import { JsonTree, LongText, ResourceLink } from '../../../schema-form/results/main.ts'
import type { OpenQuestion } from './call.ts'
import { SamplingForm } from './sampling-form.tsx'

/** A question from the server, which waits for the answer. */
export function QuestionForm({ question }: { question: OpenQuestion }) {
  const { method, params } = question
  const section = useRef<HTMLElement>(null)
  // Moves the focus here, because the user's call waits for the answer.
  useEffect(() => section.current!.focus({ preventScroll: true }), [question])
  return (
    <section ref={section} class="pg-question" aria-label="Question from the server" tabIndex={-1}>
      {method === 'sampling/createMessage' ? (
        <SamplingForm question={question} />
      ) : params.mode === 'url' ? (
        <UrlQuestion question={question} />
      ) : (
        <FieldsQuestion question={question} />
      )}
    </section>
  )
}

/** The server wants values that match a schema. */
function FieldsQuestion({ question: { params, answer } }: { question: OpenQuestion }) {
  const form = useMemo(() => createForm(params.requestedSchema), [params])
  return (
    <>
      <h3>The server asks for input</h3>
      <Message params={params} />
      <SchemaForm
        form={form}
        label="answer"
        JsonEditor={JsonEditor}
        onSubmit={content => answer({ action: 'accept', content })}
      >
        <Button type="submit" kind="primary">
          Answer
        </Button>
        <Button onClick={() => answer({ action: 'decline' })}>Decline</Button>
        <Button onClick={() => answer({ action: 'cancel' })}>Dismiss</Button>
      </SchemaForm>
    </>
  )
}

/** The server wants the user to open a page. */
function UrlQuestion({ question: { params, answer } }: { question: OpenQuestion }) {
  return (
    <>
      <h3>The server asks you to open a page</h3>
      <Message params={params} />
      <ResourceLink uri={textOf(params.url) ?? ''} name="Page" />
      <div class="sf-actions">
        <Button kind="primary" onClick={() => answer({ action: 'accept' })}>
          Continue
        </Button>
        <Button onClick={() => answer({ action: 'decline' })}>Decline</Button>
        <Button onClick={() => answer({ action: 'cancel' })}>Dismiss</Button>
      </div>
    </>
  )
}

function Message({ params: { message } }: { params: OpenQuestion['params'] }) {
  if (typeof message !== 'string') return isObject(message) ? <JsonTree value={message} /> : null
  return (
    <p class="pg-description">
      <LongText value={message} max={2000} />
    </p>
  )
}

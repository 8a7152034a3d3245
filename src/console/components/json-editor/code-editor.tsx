import { Compartment } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useRef } from 'preact/hooks'
import type { JsonEditorProps } from '../../schema-form/main.ts'
import { jsonEditing } from './json-editing.ts'

/**
 * CodeMirror for JSON, in a shadow root, because it adds style sheets there in a way that the page's policy allows. Tab
 * leaves the editor.
 */
export function CodeEditor({ id, label, isInvalid, describedBy, text, onInput }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<{ view: EditorView; attributes: Compartment } | undefined>(undefined)
  const latest = useRef(onInput)
  latest.current = onInput
  useEffect(() => {
    const attributes = new Compartment()
    const root = host.current!.attachShadow({ mode: 'open', delegatesFocus: true })
    const follow = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) latest.current(state.doc.toString())
    })
    const view = new EditorView({
      root,
      parent: root,
      doc: text,
      extensions: [jsonEditing, follow, attributes.of([])],
    })
    editor.current = { view, attributes }
    return () => view.destroy()
  }, [])
  useEffect(() => {
    const { view } = editor.current!
    const { doc } = view.state
    if (doc.toString() !== text) view.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
  }, [text])
  useEffect(() => {
    const { view, attributes } = editor.current!
    const set = { 'aria-label': label, ...(isInvalid && { 'aria-invalid': 'true' }) }
    view.dispatch({ effects: attributes.reconfigure(EditorView.contentAttributes.of(set)) })
    // An id cannot refer to an element outside the shadow root.
    const description = describedBy === undefined ? null : document.getElementById(describedBy)
    view.contentDOM.ariaDescribedByElements = description && [description]
  }, [label, isInvalid, describedBy])
  return <div ref={host} id={id} class="json-editor" data-invalid={isInvalid || undefined} />
}

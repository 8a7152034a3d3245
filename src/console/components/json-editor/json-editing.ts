import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
  syntaxTree,
} from '@codemirror/language'
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint'
import type { EditorState, Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { jsonFault } from './json-fault.ts'

const theme = EditorView.theme({
  '&': {
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '12px',
    overflow: 'hidden',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { maxHeight: '60vh', overflow: 'auto', fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { minHeight: '48px', padding: '4px 0', caretColor: 'var(--text)' },
  '.cm-gutters': { border: '0', background: 'var(--sunken)', color: 'var(--text-2)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { background: 'var(--accent-soft)' },
  // The default is an image in a URL, which the page's policy forbids.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--error)' },
  '.cm-tooltip': {
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface)',
    color: 'var(--text)',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--text)' },
})

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
])

/**
 * Replaces selected text without the browser. Chromium would keep the colours of the text in a style attribute, which the page's
 * policy forbids and reports.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    const selected = inputType === 'insertText' && !isComposing && selectedRange(view)
    if (!selected || data === null) return false
    view.dispatch({
      changes: { ...selected, insert: data },
      selection: { anchor: selected.from + data.length },
      userEvent: 'input.type',
      scrollIntoView: true,
    })
    // Makes CodeMirror prevent the browser's default action.
    return true
  },
})

/** The browser's selection, which the editor's state follows with a delay. Only Chromium reports it for a shadow root. */
function selectedRange(view: EditorView): { from: number; to: number } | undefined {
  const { getSelection } = view.root as Partial<Document>
  const selection = getSelection?.call(view.root)
  if (!selection || selection.isCollapsed) return undefined
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0)
  return { from: view.posAtDOM(startContainer, startOffset), to: view.posAtDOM(endContainer, endOffset) }
}

/** Start of the first syntax error that the highlighter has found. End of the text if there is none. */
function syntaxErrorAt(state: EditorState): number {
  let position = state.doc.length
  syntaxTree(state).iterate({
    enter({ type, from }) {
      if (type.isError) position = Math.min(position, from)
    },
  })
  return position
}

/** Keyboard shortcuts of the form around the editor. */
const FORM_KEYS = ['Mod-Enter']

/** Colours, brackets, history and errors of JSON text. */
export const jsonEditing: Extension = [
  json(),
  lineNumbers(),
  history(),
  bracketMatching(),
  indentOnInput(),
  syntaxHighlighting(colors),
  linter(({ state }): Diagnostic[] => {
    const fault = jsonFault(state.doc.toString())
    if (!fault) return []
    const { from, to } = state.doc.lineAt(fault.position ?? syntaxErrorAt(state))
    return [{ from, to, severity: 'error', message: fault.message }]
  }),
  EditorView.lineWrapping,
  typeOverSelection,
  theme,
  keymap.of([
    ...defaultKeymap.filter(({ key }) => !FORM_KEYS.includes(key ?? '')),
    ...historyKeymap,
    ...lintKeymap,
  ]),
]

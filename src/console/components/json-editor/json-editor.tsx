import { type JsonEditorProps, JsonTextArea } from '../../schema-form/main.ts'
import { lazyView } from '../lazy-view.tsx'

/** Editor of JSON text. If its code cannot be loaded, a text area takes its place. */
export const JsonEditor = lazyView<JsonEditorProps>('the JSON editor', async () =>
  import('./code-editor.tsx').then(
    ({ CodeEditor }) => CodeEditor,
    () => JsonTextArea,
  ),
)

import '../schema-form.css'

export { LongText, Name } from '../text/text.tsx'
export { JsonTree } from './json-tree.tsx'
export { LeaveDialog, webUrl } from './leave-dialog.tsx'
export { ResourceLink } from './resource-link.tsx'
export { ResultView } from './result-view.tsx'

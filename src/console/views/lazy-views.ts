/**
 * Code that the first page does not need, in one chunk. Only large parts have chunks of their own. A chunk for each view would
 * split the code that the views share with the first page into many small files, and each file delays the page.
 */
export { Palette } from '../commands/palette.tsx'
export { ShortcutsDialog } from '../commands/shortcuts-dialog.tsx'
export { BuildsView } from './builds/builds-view.tsx'
export { ChatView } from './chat/chat-view.tsx'
export { DeployDialog } from './deploy/deploy-dialog.tsx'
export { EditDefinitionDialog } from './deploy/edit-definition-dialog.tsx'
export { NewServerDialog } from './deploy/new-server-dialog.tsx'
export { DomainsView } from './domains/domains-view.tsx'
export { KeysView } from './keys/keys-view.tsx'
export { ProjectsView } from './projects/projects-view.tsx'
export { ServerView } from './server/server-view.tsx'
export { SystemView } from './system/system-view.tsx'

import './system.css'
import { useTitle } from '../../router/use-title.ts'
import { Backups } from './backups.tsx'
import { Checks } from './checks.tsx'
import { DaemonSection } from './daemon-section.tsx'
import { Unused } from './unused.tsx'

/** The daemon, checks of its machine, its backups, and what it no longer needs. */
export function SystemView() {
  useTitle('System')
  return (
    <>
      <div class="page-head">
        <h1>System</h1>
      </div>
      <DaemonSection />
      <Checks />
      <Backups />
      <Unused />
    </>
  )
}

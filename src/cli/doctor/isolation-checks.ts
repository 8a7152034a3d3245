import { findBubblewrap } from '../../shared/bubblewrap.ts'
import type { CommandContext } from '../command-context.ts'
import { type Check, type Finding, pass, warn } from './check.ts'

/** What keeps the code of custom servers from the rest of the machine, and what does not (docs/isolation.md). */
export const ISOLATION_CHECKS: readonly Check[] = [
  { name: 'modules', run: () => [checkModules()] },
  { name: 'programs', run: context => [checkPrograms(context)] },
  {
    name: 'network',
    run: () => [pass('is open to the code of custom servers; their network is not isolated')],
  },
]

function checkModules(): Finding {
  if (process.platform === 'linux')
    return pass("handler modules run under Node's permission model, in processes whose memory is watched")
  return warn(
    "handler modules run under Node's permission model; on this system nothing limits what they hold in Buffers",
    'Run modules that you do not trust on Linux',
  )
}

function checkPrograms({ env }: CommandContext): Finding {
  if (process.platform !== 'linux')
    return warn(
      'programs (--command) may do what you may do: bubblewrap, which would keep them apart, is for Linux',
      'Run programs that you do not trust in a container or on Linux',
    )
  const bubblewrap = findBubblewrap(env.PATH ?? '')
  if (bubblewrap.usable) return pass(`programs (--command) run inside of ${bubblewrap.file}`)
  return warn(
    `programs (--command) may do what you may do: ${bubblewrap.why}`,
    'Install it, or allow user namespaces',
    'apt install bubblewrap',
  )
}

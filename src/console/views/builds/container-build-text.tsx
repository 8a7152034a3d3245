import type { ContainerBuildRecord } from '../../../shared/contract/builds/container-builds.ts'
import type { BuildPhase } from '../../../shared/contract/states.ts'
import { State } from '../../components/state.tsx'
import { shown } from '../../components/text.tsx'

export function isRunning({ status }: ContainerBuildRecord): boolean {
  return status === 'pending' || status === 'in_progress'
}

/** `DOWNLOAD_SOURCE` → `Download source` */
export function phaseText(phase: BuildPhase): string {
  const words = phase.toLowerCase().replace('_', ' ')
  return words[0]!.toUpperCase() + words.slice(1)
}

/** `weather:1a2b3c4d5e6f`, without the registry or the folder of the OCI layout. */
export function imageName(uri: string): string {
  return /(?:^oci:.*:|\/)?([^/:]+:[^/:]+)$/.exec(uri)?.[1] ?? uri
}

export function ContainerBuildState({ build: { status, errorMessage } }: { build: ContainerBuildRecord }) {
  return (
    <State
      value={status.replace('_', ' ')}
      {...(errorMessage !== '' && { title: shown(errorMessage, 300) })}
    />
  )
}

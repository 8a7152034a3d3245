import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Variables that make podman work on machines with hybrid cgroups and without the right to raise limits, where crun and the
 * default limits fail. Storage and state are in the folder, so that a reset does not affect other engines. `images`: additional
 * read-only image stores.
 */
export function writeEngineSettings(directory: string, images: string[] = []): Record<string, string> {
  mkdirSync(join(directory, 'run'), { recursive: true })
  const containers = join(directory, 'containers.conf')
  const storage = join(directory, 'storage.conf')
  writeFileSync(
    containers,
    `[containers]\ndefault_ulimits = []\n[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "runc"\ntmp_dir = "${directory}/tmp"\n`,
  )
  writeFileSync(
    storage,
    `[storage]\ndriver = "overlay"\ngraphroot = "${directory}/graph"\nrunroot = "${directory}/run"\n[storage.options]\nadditionalimagestores = ${JSON.stringify(images)}\n`,
  )
  return { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: storage }
}

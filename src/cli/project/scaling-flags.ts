import { DEFAULT_SCALING } from '../../shared/contract/deployments/default-scaling.ts'
import type { DeployConfig } from '../../shared/contract/deployments/deploy-config.ts'
import { HostingError } from '../../shared/errors.ts'

type Scaling = DeployConfig['scaling']

/** `--min` and `--max`. */
export interface ScalingFlags {
  min?: number | undefined
  max?: number | undefined
}

/**
 * Overrides the scaling of the project file. Throws INVALID_REQUEST, naming the options, when the minimum exceeds the maximum.
 */
export function mergeScaling(base: Scaling, flags: ScalingFlags): Scaling {
  const { min, max } = flags
  if (min === undefined && max === undefined) return base
  const scaling = {
    ...base,
    ...(min !== undefined && { min_instances: min }),
    ...(max !== undefined && { max_instances: max }),
  }
  const { min_instances, max_instances } = { ...DEFAULT_SCALING, ...scaling }
  if (min_instances > max_instances) throw exceeded(min_instances, max_instances, { base, flags })
  return scaling as Scaling
}

/** Throws INVALID_REQUEST before anything is built. Values that may come from the project file are compared by `mergeScaling`. */
export function checkScalingFlags({ min, max }: ScalingFlags): void {
  if (min !== undefined && max !== undefined) mergeScaling(undefined, { min, max })
}

function exceeded(
  min: number,
  max: number,
  { base, flags }: { base: Scaling; flags: ScalingFlags },
): HostingError {
  const lower = flags.min === undefined ? `min_instances (${min}) of the project file` : `--min (${min})`
  if (flags.max !== undefined)
    return new HostingError('INVALID_REQUEST', `${lower} must not exceed --max (${max}).`)
  const upper =
    base?.max_instances === undefined
      ? `the default maximum (${max}). Set --max, too.`
      : `max_instances (${max}) of the project file. Set --max, too.`
  return new HostingError('INVALID_REQUEST', `${lower} must not exceed ${upper}`)
}

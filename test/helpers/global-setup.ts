import { buildDist } from '../../scripts/build.ts'

/** Tests start the real programs, so `dist/` must hold the sources at hand. */
export default async function setup(): Promise<void> {
  await buildDist()
}

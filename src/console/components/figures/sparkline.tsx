import './sparkline.css'

const WIDTH = 64
const HEIGHT = 16

/** Points of a polyline. Values are scaled to the maximum, and the newest is at the right edge. */
export function linePoints(values: readonly number[], points: number): string {
  const max = Math.max(...values) || 1
  const step = WIDTH / (points - 1)
  const left = WIDTH - step * (values.length - 1)
  return values
    .map((value, index) => `${round(left + index * step)},${round(HEIGHT - (value / max) * HEIGHT)}`)
    .join(' ')
}

/** Trend of a figure whose current value is shown next to it. */
export function Sparkline({ values, points = 60 }: { values: readonly number[]; points?: number }) {
  return (
    <svg
      class="sparkline"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden="true"
    >
      <path class="base" d={`M0 ${HEIGHT}H${WIDTH}`} />
      {values.some(value => value > 0) && <polyline points={linePoints(values, points)} />}
    </svg>
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

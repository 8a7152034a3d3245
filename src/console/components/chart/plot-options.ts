import uPlot from 'uplot'
import { axisLabels } from './time-labels.ts'
import { isolatedPoints, type Mark, type Measure, type TimeSeries } from './time-series.ts'

export const PLOT_HEIGHT = 148

/** Space above the plot for the labels of marks. */
const TOP = 16
const LABEL_WIDTH = 32
const AXIS_WIDTH = 56

interface PlotInput {
  /** Gives the plot its width, fonts and colours. */
  frame: HTMLElement
  series: TimeSeries
  measure: Measure
  /** Plots with the same key share the position of their cursor. */
  syncKey: string
  onHover(index: number | undefined): void
}

export function plotOptions({ frame, series, measure, syncKey, onHover }: PlotInput): uPlot.Options {
  const { times, stepSeconds, marks } = series
  const colors = colorsOf(frame)
  const font = `12px ${getComputedStyle(frame).fontFamily}`
  const axis = {
    font,
    stroke: colors.text,
    grid: { stroke: colors.border, width: 1 },
    ticks: { show: false },
  }
  return {
    width: frame.clientWidth,
    height: PLOT_HEIGHT,
    padding: [TOP, 8, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      sync: { key: syncKey, scales: ['x', null] },
      points: { show: measure.shape !== 'bars', size: 7 },
    },
    scales: {
      x: { range: () => [times[0]!, times.at(-1)! + stepSeconds] },
      y: { range: (_, _min, max) => uPlot.rangeNum(0, max || 1, 0.1, true) },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        // Keeps the first time below the zero of the value axis, which is next to it.
        gap: 8,
        space: 64,
        values: (_, splits, _axis, _space, step) => axisLabels(splits, step),
      },
      {
        ...axis,
        size: AXIS_WIDTH,
        space: 28,
        values: (_, splits) => splits.map(value => (value === 0 ? '0' : measure.format(value))),
      },
    ],
    series: [{}, line(measure, colors)],
    hooks: {
      setCursor: [({ cursor: { idx } }) => onHover(idx ?? undefined)],
      draw: [plot => drawMarks(plot, marks, { font, color: colors.text })],
    },
  }
}

/** Places values in the middle of their steps, because they describe whole steps. */
export function plotData({ times, stepSeconds }: TimeSeries, { values }: Measure): uPlot.AlignedData {
  return [times.map(time => time + stepSeconds / 2), [...values]]
}

function line({ shape, tone }: Measure, colors: Record<Measure['tone'], Color>): uPlot.Series {
  const { solid, soft } = colors[tone]
  if (shape === 'bars')
    return { width: 0, fill: solid, paths: uPlot.paths.bars!({ size: [0.8, 24] }), points: { show: false } }
  return {
    stroke: solid,
    width: 1.5,
    ...(shape === 'area' && { fill: soft }),
    points: {
      show: true,
      size: 4,
      fill: solid,
      filter: (plot, index) => isolatedPoints(plot.data[index]! as number[]),
    },
  }
}

function drawMarks(
  { ctx, bbox, valToPos }: uPlot,
  marks: readonly Mark[],
  { font, color }: { font: string; color: string },
) {
  const ratio = devicePixelRatio
  ctx.save()
  ctx.scale(ratio, ratio)
  ctx.font = font
  ctx.fillStyle = color
  ctx.strokeStyle = color
  ctx.setLineDash([3, 3])
  ctx.textBaseline = 'alphabetic'
  const [top, right, bottom] = [
    bbox.top / ratio,
    (bbox.left + bbox.width) / ratio,
    (bbox.top + bbox.height) / ratio,
  ]
  let labelledUntil = 0
  for (const { time, label } of marks) {
    const x = Math.round(valToPos(time, 'x', true) / ratio) + 0.5
    ctx.beginPath()
    ctx.moveTo(x, top - 4)
    ctx.lineTo(x, bottom)
    ctx.stroke()
    if (x < labelledUntil) continue
    ctx.textAlign = x + LABEL_WIDTH > right ? 'right' : 'center'
    ctx.fillText(label, x, top - 6)
    labelledUntil = x + LABEL_WIDTH
  }
  ctx.restore()
}

interface Color {
  solid: string
  soft: string
}

/** Colours of the current theme. A canvas cannot use custom properties. */
function colorsOf(frame: HTMLElement) {
  const color = (name: string) => {
    frame.style.color = `var(--${name})`
    return getComputedStyle(frame).color
  }
  const colors = {
    text: color('text-2'),
    border: color('border'),
    accent: { solid: color('accent'), soft: color('accent-soft') },
    error: { solid: color('error'), soft: color('error-soft') },
  }
  frame.style.color = ''
  return colors
}

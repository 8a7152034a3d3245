import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { theme } from '../../theme.ts'
import { PLOT_HEIGHT, plotData, plotOptions } from './plot-options.ts'
import type { Measure, TimeSeries } from './time-series.ts'

interface PlotProps {
  series: TimeSeries
  measure: Measure
  syncKey: string
  onHover(index: number | undefined): void
}

/** Chart of a measure over time on a canvas, as wide as its container. */
export function Plot({ series, measure, syncKey, onHover }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const frame = place.current!
    const plot = new uPlot(
      plotOptions({ frame, series, measure, syncKey, onHover }),
      plotData(series, measure),
      frame,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: frame.clientWidth, height: PLOT_HEIGHT }))
    observer.observe(frame)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [series, theme.value])
  return <div class="plot" ref={place} aria-hidden="true" />
}

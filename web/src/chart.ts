// Charts by ECharts on canvas, redrawn when the theme or the width changes.

import { BarChart, LineChart, ScatterChart } from "echarts/charts";
import { AriaComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { init, use, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { h } from "./dom";
import { colour, onThemeChange } from "./theme";

use([
  AriaComponent,
  BarChart,
  CanvasRenderer,
  GridComponent,
  LegendComponent,
  LineChart,
  MarkLineComponent,
  ScatterChart,
  TooltipComponent,
]);

export type Options = Record<string, unknown>;

export interface Chart {
  box: HTMLElement;
  /** Nothing before it is first drawn: that is when its place on the page is known. */
  instance: () => EChartsType | null;
  /** Makes the options again. */
  redraw: () => void;
}

/** `make` is called for every theme; `label` says in words what is shown. */
export function chart(
  label: string,
  height: number,
  make: () => Options,
  onDraw?: (chart: EChartsType) => void,
): Chart {
  const box = h("div", { class: "chart", role: "img", "aria-label": label, style: `height:${height}px` });
  let instance: EChartsType | null = null;
  const redraw = (): void => {
    if (instance) {
      instance.setOption({ animation: false, ...make() }, { notMerge: true });
      onDraw?.(instance);
    }
  };
  onThemeChange(redraw);
  const fit = (): void => {
    const width = box.clientWidth;
    if (width === 0 || width === instance?.getWidth()) {
      return;
    }
    if (instance) {
      instance.resize({ width, height });
    } else {
      instance = init(box, null, { renderer: "canvas", width, height });
    }
    redraw();
  };
  new ResizeObserver(fit).observe(box);
  window.addEventListener("beforeprint", fit);
  return { box, instance: () => instance, redraw };
}

/** Lines, labels and ticks of an axis in the colours of the theme. */
export function axisLook(): Options {
  return {
    axisLine: { lineStyle: { color: colour("--line") } },
    axisTick: { lineStyle: { color: colour("--line") } },
    axisLabel: { color: colour("--muted"), fontSize: 13, hideOverlap: true },
    nameTextStyle: { color: colour("--text"), fontSize: 13 },
    splitLine: { lineStyle: { color: colour("--faint") } },
    minorSplitLine: { show: false },
  };
}

export function tooltipLook(): Options {
  return {
    backgroundColor: colour("--card"),
    borderColor: colour("--line"),
    textStyle: { color: colour("--text"), fontSize: 13 },
    confine: true,
  };
}

export function legendLook(): Options {
  return {
    textStyle: { color: colour("--text"), fontSize: 13 },
    inactiveColor: colour("--faint"),
    pageTextStyle: { color: colour("--text") },
    pageIconColor: colour("--text"),
  };
}

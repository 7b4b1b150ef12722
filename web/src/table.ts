// Tables whose columns sort: by a press on their heads, which are buttons.

import { h, type Child } from "./dom";

export interface Column<Row> {
  name: string;
  /** What is sorted by; missing values stay last. */
  key: (row: Row) => number | string | null | undefined;
  /** What is shown; the key otherwise. */
  show?: (row: Row) => Child;
  isNumber?: boolean;
  /** A sentence rather than a word. */
  isLong?: boolean;
}

export interface TableOptions<Row> {
  caption: string;
  sorted?: { column: number; descending: boolean };
  limit?: number;
  rowClass?: (row: Row) => string;
}

type Key = number | string | null | undefined;

function isMissing(key: Key): boolean {
  return key === null || key === undefined || (typeof key === "number" && Number.isNaN(key));
}

/** Below 0 where `a` comes first. */
export function compareKeys(a: Key, b: Key, descending: boolean): number {
  if (isMissing(a) || isMissing(b)) {
    return isMissing(a) === isMissing(b) ? 0 : isMissing(a) ? 1 : -1;
  }
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  return descending ? -order : order;
}

function look<Row>(column: Column<Row>): string {
  return column.isNumber ? "number" : column.isLong ? "long" : "";
}

export function sortableTable<Row>(rows: Row[], columns: Column<Row>[], options: TableOptions<Row>): HTMLElement {
  let sorted = options.sorted;
  let limit = options.limit ?? Infinity;
  const body = h("tbody");
  const heads = columns.map((column, index) => {
    const head = h(
      "button",
      {
        type: "button",
        click: () => {
          const descending = sorted?.column === index ? !sorted.descending : column.isNumber === true;
          sorted = { column: index, descending };
          draw();
        },
      },
      column.name,
    );
    return h("th", { scope: "col", class: look(column) }, head);
  });
  const more = h("button", {
    type: "button",
    class: "more no-print",
    click: () => {
      limit += 200;
      draw();
    },
  });

  function draw(): void {
    const order = rows.map((_, i) => i);
    if (sorted) {
      const { column, descending } = sorted;
      const keys = rows.map((row) => (columns[column] as Column<Row>).key(row));
      order.sort((a, b) => compareKeys(keys[a], keys[b], descending) || a - b);
    }
    heads.forEach((head, i) => {
      head.setAttribute("aria-sort", sorted?.column === i ? (sorted.descending ? "descending" : "ascending") : "none");
    });
    body.replaceChildren(
      ...order.slice(0, limit).map((at) => {
        const row = rows[at] as Row;
        return h(
          "tr",
          { class: options.rowClass?.(row) ?? "" },
          ...columns.map((column) =>
            h("td", { class: look(column) }, column.show ? column.show(row) : (column.key(row) ?? "–")),
          ),
        );
      }),
    );
    more.hidden = rows.length <= limit;
    more.textContent = `Show more: ${Math.min(limit, rows.length).toLocaleString("en-US")} of ${rows.length.toLocaleString("en-US")} are shown`;
  }

  draw();
  return h(
    "div",
    { class: "table-box", tabindex: 0, role: "region", "aria-label": options.caption },
    h("table", {}, h("caption", {}, h("span", {}, options.caption)), h("thead", {}, h("tr", {}, ...heads)), body),
    more,
  );
}

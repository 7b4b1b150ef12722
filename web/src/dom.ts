// Elements from plain calls. Texts become text nodes, never markup.

export type Child = Node | string | number | null | undefined | false;
type Value = string | number | boolean | null | undefined | ((event: never) => void);

function fill(element: Element, attributes: Record<string, Value>, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (typeof value === "function") {
      element.addEventListener(name, value as EventListener);
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg(tag: string, attributes: Record<string, Value> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

let numbered = 0;
/** A name that no other element has. */
export function freshId(prefix: string): string {
  numbered += 1;
  return `${prefix}-${numbered}`;
}

/** A choice with its label. */
export function select(
  label: string,
  options: { value: string; text: string }[],
  chosen: string,
  change: (value: string) => void,
): HTMLElement {
  const id = freshId("choice");
  const box = h(
    "select",
    { id, change: (event: Event) => change((event.target as HTMLSelectElement).value) },
    ...options.map((option) => h("option", { value: option.value, selected: option.value === chosen }, option.text)),
  );
  return h("span", { class: "field" }, h("label", { for: id }, label), box);
}

export function button(text: string, press: () => void, attributes: Record<string, Value> = {}): HTMLButtonElement {
  return h("button", { type: "button", click: press, ...attributes }, text);
}

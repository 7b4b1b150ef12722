// Rectangles whose areas are given, as near to squares as they can be: rows are filled while the
// worst of them gets better (Bruls, Huizing and van Wijk, Squarified treemaps, 2000).

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

function worst(row: number[], side: number): number {
  const sum = row.reduce((a, b) => a + b, 0);
  return Math.max(
    ...row.map((area) => Math.max((side * side * area) / (sum * sum), (sum * sum) / (side * side * area))),
  );
}

/** One for each area, in their order; they fill the place. Areas above 0, best the largest first. */
export function treemap(areas: number[], place: Rectangle): Rectangle[] {
  const total = areas.reduce((a, b) => a + b, 0);
  const scale = (place.width * place.height) / total;
  const rest = { ...place };
  const made: Rectangle[] = [];
  let at = 0;
  while (at < areas.length) {
    const side = Math.min(rest.width, rest.height);
    const row = [(areas[at] as number) * scale];
    while (at + row.length < areas.length) {
      const more = [...row, (areas[at + row.length] as number) * scale];
      if (worst(more, side) > worst(row, side)) {
        break;
      }
      row.push(more[more.length - 1] as number);
    }
    const sum = row.reduce((a, b) => a + b, 0);
    const isWide = rest.width >= rest.height;
    const thick = sum / side;
    let along = 0;
    for (const area of row) {
      const length = area / thick;
      made.push(
        isWide
          ? { x: rest.x, y: rest.y + along, width: thick, height: length }
          : { x: rest.x + along, y: rest.y, width: length, height: thick },
      );
      along += length;
    }
    if (isWide) {
      rest.x += thick;
      rest.width -= thick;
    } else {
      rest.y += thick;
      rest.height -= thick;
    }
    at += row.length;
  }
  return made;
}

/** So many equal cells: rows and columns that suit the place best. */
export function gridOf(count: number, place: Rectangle): { rows: number; columns: number } {
  let best = { rows: 1, columns: count };
  let least = Infinity;
  for (let rows = 1; rows <= count; rows++) {
    const columns = Math.ceil(count / rows);
    const shape = (place.width / columns) * (rows / place.height);
    const unused = rows * columns - count;
    const cost = Math.abs(Math.log(shape)) + (3 * unused) / count;
    if (cost < least) {
      least = cost;
      best = { rows, columns };
    }
  }
  return best;
}

// The nearest of many points on a picture: a grid of cells, so that a hover costs a few of them.

const CELL = 16; // pixels
const TOGETHER = 1.5; // pixels apart

export class Nearest {
  private readonly cells = new Map<number, number[]>();
  private readonly columns: number;

  /** Pixels; NaN where a point is not shown. */
  constructor(
    private readonly x: Float32Array,
    private readonly y: Float32Array,
    width: number,
  ) {
    this.columns = Math.ceil(width / CELL) + 2;
    for (let i = 0; i < x.length; i++) {
      if (Number.isNaN(x[i] as number) || Number.isNaN(y[i] as number)) {
        continue;
      }
      const cell = this.cellAt(x[i] as number, y[i] as number);
      const found = this.cells.get(cell);
      if (found) {
        found.push(i);
      } else {
        this.cells.set(cell, [i]);
      }
    }
  }

  /** Of those within a cell's size; of those that look like one place the one with the highest rank. */
  find(atX: number, atY: number, rank: (i: number) => number): number | null {
    const near: { i: number; distance: number }[] = [];
    for (let dy = -1; dy <= 1; dy++) {
      for (let dx = -1; dx <= 1; dx++) {
        for (const i of this.cells.get(this.cellAt(atX + dx * CELL, atY + dy * CELL)) ?? []) {
          const distance = Math.hypot((this.x[i] as number) - atX, (this.y[i] as number) - atY);
          if (distance < CELL) {
            near.push({ i, distance });
          }
        }
      }
    }
    const least = near.reduce((best, each) => Math.min(best, each.distance), CELL);
    const together = near.filter((each) => each.distance <= least + TOGETHER);
    together.sort((a, b) => rank(b.i) - rank(a.i) || a.distance - b.distance || a.i - b.i);
    return together[0]?.i ?? null;
  }

  private cellAt(x: number, y: number): number {
    return Math.floor(y / CELL) * this.columns + Math.floor(x / CELL);
  }
}

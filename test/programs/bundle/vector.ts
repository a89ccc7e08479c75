export interface Vector {
  x: number;
  y: number;
  z: number;
}

export function dotProduct(a: Vector, b: Vector): number {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

export const vectorLength = (a: Vector): number => Math.sqrt(dotProduct(a, a));

export class Renderer {
  private total = 0;

  constructor(private readonly light: Vector) {}

  /** Shades some points. */
  shadePoints(count: number): number {
    for (let i = 0; i < count; i++) {
      const point = { x: i + 1, y: i ^ 5, z: count };
      this.total += dotProduct(point, this.light) / vectorLength(point);
    }
    return this.total;
  }

  get sum(): number {
    return this.total;
  }
}

/**
 * A table as typed columns, derived from one list of them. All columns lie in one piece of memory;
 * a table that is full is given more rows, and keeps what it holds.
 */
type ColumnType =
  | Int8ArrayConstructor
  | Uint8ArrayConstructor
  | Uint16ArrayConstructor
  | Int32ArrayConstructor
  | Uint32ArrayConstructor
  | Float32ArrayConstructor
  | Float64ArrayConstructor;

type Columns<T extends Readonly<Record<string, ColumnType>>> = {
  -readonly [K in keyof T]: InstanceType<T[K]>;
};

const WIDEST = 8;

export function tableOf<T extends Readonly<Record<string, ColumnType>>>(types: T) {
  const all = Object.entries(types);
  class Table {
    capacity = 0;
    /** Columns that hold nothing: what is written to them is lost. */
    unused: readonly (keyof T)[] = [];

    resize(rows: number): void {
      const capacity = Math.ceil(rows / WIDEST) * WIDEST;
      const size = (name: string) => (this.unused.includes(name) ? 0 : capacity);
      const width = all.reduce((sum, [name, type]) => sum + type.BYTES_PER_ELEMENT * size(name), 0);
      const memory = new ArrayBuffer(width);
      const columns = this as unknown as Record<string, Columns<T>[string]>;
      let at = 0;
      for (const [name, type] of all) {
        const column = new type(memory, at, size(name)) as Columns<T>[string];
        if (this.capacity > 0) column.set(columns[name] as never);
        columns[name] = column;
        at += column.byteLength;
      }
      this.capacity = capacity;
    }

    /** Rows hold zeros until they are filled. */
    clearRows(from: number, to: number): void {
      const columns = this as unknown as Record<string, Columns<T>[string]>;
      for (const [name] of all) (columns[name] as Columns<T>[string]).fill(0, from, to);
    }

    /** Rows from `from` on, up to but not including `end`, come to stand from `at` on. */
    moveRows(from: number, end: number, at: number): void {
      const columns = this as unknown as Record<string, Columns<T>[string]>;
      for (const [name] of all) (columns[name] as Columns<T>[string]).copyWithin(at, from, end);
    }

    moveRow(from: number, to: number): void {
      const columns = this as unknown as Record<string, Columns<T>[string]>;
      for (const [name] of all) {
        const column = columns[name] as Columns<T>[string];
        column[to] = column[from] as number;
      }
    }
  }
  return Table as unknown as new () => Table & Columns<T>;
}

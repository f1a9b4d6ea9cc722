/** A stack of bits: what is open, a bit a level. A million levels take 128 KB. */
export class BitStack {
  #bits = new Uint8Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The bit on top; false if there is none. */
  get top(): boolean {
    return this.#length > 0 && this.at(this.#length - 1);
  }

  at(index: number): boolean {
    return ((this.#bits[index >>> 3] as number) & (1 << (index & 7))) !== 0;
  }

  push(bit: boolean): void {
    const index = this.#length >>> 3;
    if (index === this.#bits.length) {
      const larger = new Uint8Array(index * 2);
      larger.set(this.#bits);
      this.#bits = larger;
    }
    const mask = 1 << (this.#length++ & 7);
    const old = this.#bits[index] as number;
    this.#bits[index] = bit ? old | mask : old & ~mask;
  }

  pop(): void {
    if (this.#length > 0) this.#length--;
  }
}

declare module 'parse-prometheus-text-format' {
  /** Reads the text format of Prometheus. */
  export default function parse(text: string): unknown;
}

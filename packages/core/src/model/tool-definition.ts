/** A tool as a model is told of it. */
export interface ToolDefinition {
  /** As the model calls it. */
  readonly name: string;
  /** Tells the model when to use it. */
  readonly description: string;
  /** A JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export type Block = { type: string; [field: string]: unknown };
export interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly thread?: { readonly type: string };
}
export interface FakeClaude {
  readonly url: string;
  readonly bodies: Body[];
  close(): void;
}
export function startClaude(reply: (body: Body, number: number) => readonly Block[]): Promise<FakeClaude>;
export function use(id: string, name?: string, input?: object): Block;
export function say(text: string): Block;

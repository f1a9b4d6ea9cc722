import type { Content, Part } from '@google/genai';

export interface Body {
  readonly contents: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
}
export interface FakeGemini {
  readonly url: string;
  readonly bodies: Body[];
  close(): void;
}
export function startGemini(reply: (body: Body, number: number) => readonly Part[]): Promise<FakeGemini>;
export function call(name: string, args?: object, id?: string): Part;

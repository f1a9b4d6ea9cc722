import { route } from '../../../route.mjs';

export const dynamic = 'force-dynamic';

export async function GET() {
  return Response.json(await route());
}

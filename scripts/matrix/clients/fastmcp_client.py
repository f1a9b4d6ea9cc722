"""A client of fastmcp that is told what to do line by line, and answers with a line of JSON each."""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def transport_of(target):
    if "stdio" in target:
        return StdioTransport(**target["stdio"], keep_alive=False)
    return StreamableHttpTransport(**target["http"])


async def handle(request, client):
    if request["op"] == "connect":
        client = Client(transport_of(request))
        await client.__aenter__()
        return client, None
    if request["op"] == "list":
        return client, [plain(tool) for tool in await client.list_tools()]
    if request["op"] == "call":
        result = await client.call_tool(request["tool"], request["args"], raise_on_error=False)
        content = [plain(block) for block in result.content]
        return client, {"content": content, "structured": result.structured_content}
    await client.__aexit__(None, None, None)
    return None, None


async def main():
    client = None
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        try:
            client, value = await handle(json.loads(line), client)
            answer = {"value": value}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), flush=True)


asyncio.run(main())

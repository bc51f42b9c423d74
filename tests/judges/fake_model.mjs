// A server that speaks as the model does: asked to `write file PATH` it calls the tool Write, and ends once it has the tool's result.
//   node fake_model.mjs LOG     prints its port; LOG gets each result that the tool gave, and each reason to go on, a line of JSON each
import { appendFileSync } from "node:fs"
import { createServer } from "node:http"

const log = process.argv[2]
const texts = (message) =>
  typeof message.content === "string" ? [message.content] : message.content.filter((part) => part.type === "text").map((part) => part.text)
const results = (message) => (typeof message.content === "string" ? [] : message.content.filter((part) => part.type === "tool_result"))

function reply({ messages = [], tools = [] }) {
  const user = messages.filter((message) => message.role === "user")
  const done = user.flatMap(results)
  const path = user.flatMap(texts).map((text) => /write file (\S+)/.exec(text)?.[1]).find(Boolean)
  for (const result of done) appendFileSync(log, JSON.stringify({ result: result.content, error: result.is_error ?? false }) + "\n")
  const back = user.flatMap(texts).filter((text) => text.includes("can't be merged"))
  if (back.length) appendFileSync(log, JSON.stringify({ back: back.at(-1) }) + "\n")
  if (path && !done.length && tools.some((tool) => tool.name === "Write")) {
    return { content: { type: "tool_use", id: "toolu_1", name: "Write", input: {} }, delta: { type: "input_json_delta", partial_json: JSON.stringify({ file_path: path, content: "x\n" }) }, why: "tool_use" }
  }
  return { content: { type: "text", text: "" }, delta: { type: "text_delta", text: "done" }, why: "end_turn" }
}

createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    if (request.method !== "POST" || !request.url.startsWith("/v1/messages") || request.url.includes("count_tokens")) {
      response.writeHead(request.method === "HEAD" ? 200 : 404).end()
      return
    }
    const asked = JSON.parse(body)
    const { content, delta, why } = reply(asked)
    const usage = { input_tokens: 1, output_tokens: 1 }
    const message = { id: "msg_1", type: "message", role: "assistant", model: asked.model, content: [], stop_reason: null, stop_sequence: null, usage }
    if (!asked.stream) {
      const whole = content.type === "text" ? { type: "text", text: delta.text } : { ...content, input: JSON.parse(delta.partial_json) }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...message, content: [whole], stop_reason: why }))
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    send({ type: "message_start", message })
    send({ type: "content_block_start", index: 0, content_block: content })
    send({ type: "content_block_delta", index: 0, delta })
    send({ type: "content_block_stop", index: 0 })
    send({ type: "message_delta", delta: { stop_reason: why, stop_sequence: null }, usage })
    send({ type: "message_stop" })
    response.end()
  })
}).listen(0, "127.0.0.1", function () {
  console.log(this.address().port)
})

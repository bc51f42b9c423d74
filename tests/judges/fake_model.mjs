// A server that speaks as the model does: asked to `write file PATH` it calls the tool that writes (Write in Claude Code, apply_patch in Codex, write_file
// in Gemini CLI), and ends once it has the tool's result.
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

/** What Codex reads. */
function responses({ input = [] }) {
  const done = input.filter((item) => item.type.endsWith("_output"))
  const said = input.filter((item) => item.role === "user").flatMap((item) => item.content.map((part) => part.text ?? ""))
  for (const result of done) appendFileSync(log, JSON.stringify({ result: result.output }) + "\n")
  const back = said.filter((text) => text.includes("can't be merged"))
  if (back.length) appendFileSync(log, JSON.stringify({ back: back.at(-1) }) + "\n")
  const path = said.map((text) => /write file (\S+)/.exec(text)?.[1]).find(Boolean)
  if (path && !done.length) {
    return { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "apply_patch", input: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\n` }
  }
  return { type: "message", role: "assistant", id: "msg_1", content: [{ type: "output_text", text: "done" }] }
}

/** What Gemini CLI reads. */
function generated({ contents = [], tools = [] }) {
  const parts = contents.flatMap((content) => content.parts ?? [])
  const done = parts.filter((part) => part.functionResponse)
  const said = parts.map((part) => part.text ?? "")
  for (const result of done) appendFileSync(log, JSON.stringify({ result: result.functionResponse.response }) + "\n")
  const back = said.filter((text) => text.includes("can't be merged"))
  if (back.length) appendFileSync(log, JSON.stringify({ back: back.at(-1) }) + "\n")
  const path = said.map((text) => /write file (\S+)/.exec(text)?.[1]).find(Boolean)
  const writes = tools.some((tool) => tool.functionDeclarations?.some((one) => one.name === "write_file"))
  const part = path && writes && !done.length ? { functionCall: { name: "write_file", args: { file_path: path, content: "x\n" } } } : { text: "done" }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  return { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata }
}

createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => (body += chunk))
  request.on("end", () => {
    const stream = (events) => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""))
    }
    if (request.method === "POST" && request.url.startsWith("/v1/responses")) {
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
      stream([
        { type: "response.created", response: { id: "resp_1" } },
        { type: "response.output_item.done", output_index: 0, item: responses(JSON.parse(body)) },
        { type: "response.completed", response: { id: "resp_1", usage } },
      ])
      return
    }
    if (request.url.includes(":streamGenerateContent")) {
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(`data: ${JSON.stringify(generated(JSON.parse(body)))}\n\n`)
      return
    }
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
    stream([
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: content },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: why, stop_sequence: null }, usage },
      { type: "message_stop" },
    ])
  })
}).listen(0, "127.0.0.1", function () {
  console.log(this.address().port)
})

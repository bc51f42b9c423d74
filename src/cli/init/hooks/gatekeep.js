// Written by `gatekeep init --hooks`: asks gatekeep before opencode edits a file.
import { spawnSync } from "node:child_process"

const EDITS = ["write", "edit", "multiedit", "patch", "apply_patch"]

export const Gatekeep = async ({ directory }) => ({
  "tool.execute.before": async ({ tool, sessionID }, { args }) => {
    if (!EDITS.includes(tool)) return
    const input = JSON.stringify({ tool, sessionID, directory, args })
    const run = spawnSync("gatekeep", ["hook", "opencode"], { cwd: directory, input, encoding: "utf8", timeout: 30000 })
    if (run.status !== 0) return // what gatekeep can't judge stops nobody
    const answer = JSON.parse(run.stdout)
    if (answer.decision === "deny") throw new Error(answer.reason)
  },
})

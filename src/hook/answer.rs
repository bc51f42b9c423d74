//! The answer to an agent, in its own words. It never grants anything: what the person would be asked, the person is asked.

use serde_json::{Value, json};

use super::{Agent, Kind};

/// What an agent is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Why it must not do it, or not end here.
    pub denied: Option<String>,
    /// What it should know.
    pub warned: Option<String>,
}

impl Answer {
    /// The JSON that the agent reads from standard output.
    pub fn render(&self, agent: Agent, kind: Kind) -> Value {
        match (&self.denied, kind) {
            (Some(why), Kind::BeforeTool) => deny(agent, why),
            (Some(why), Kind::Stop) => go_on(agent, why),
            _ => self.warned.as_deref().map_or_else(|| json!({}), |text| warn(agent, kind, text)),
        }
    }
}

fn deny(agent: Agent, why: &str) -> Value {
    let decision =
        json!({ "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": why });
    match agent {
        Agent::ClaudeCode | Agent::Codex => json!({ "hookSpecificOutput": decision }),
        // VS Code reads the inner one, the command line the outer one
        Agent::Copilot => json!({
            "hookSpecificOutput": decision, "permissionDecision": "deny", "permissionDecisionReason": why,
        }),
        Agent::Gemini | Agent::Opencode => json!({ "decision": "deny", "reason": why }),
        Agent::Cursor => json!({ "permission": "deny", "user_message": why, "agent_message": why }),
    }
}

fn go_on(agent: Agent, why: &str) -> Value {
    match agent {
        Agent::Cursor => json!({ "followup_message": why }),
        Agent::Gemini => json!({ "decision": "deny", "reason": why }),
        // VS Code reads the inner one, the command line the outer one
        Agent::Copilot => json!({
            "hookSpecificOutput": { "hookEventName": "Stop", "decision": "block", "reason": why }, "decision": "block", "reason": why,
        }),
        Agent::ClaudeCode | Agent::Codex | Agent::Opencode => json!({ "decision": "block", "reason": why }),
    }
}

fn warn(agent: Agent, kind: Kind, text: &str) -> Value {
    match (agent, kind) {
        (Agent::ClaudeCode | Agent::Codex | Agent::Copilot, Kind::BeforeTool) => {
            json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "additionalContext": text } })
        }
        (Agent::Opencode, _) => json!({ "warning": text }),
        _ => json!({ "systemMessage": text }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Agent; 6] =
        [Agent::ClaudeCode, Agent::Codex, Agent::Gemini, Agent::Cursor, Agent::Copilot, Agent::Opencode];

    #[test]
    fn no_answer_grants_anything() {
        let answers = [
            Answer::default(),
            Answer { denied: Some("no".into()), warned: None },
            Answer { denied: None, warned: Some("look out".into()) },
        ];
        for (agent, answer) in ALL.into_iter().flat_map(|agent| answers.iter().map(move |answer| (agent, answer))) {
            for kind in [Kind::BeforeTool, Kind::Stop, Kind::Other] {
                let text = answer.render(agent, kind).to_string();
                assert!(!text.contains("allow") && !text.contains("approve"), "{text}");
                assert_eq!(
                    text.contains("no\""),
                    answer.denied.is_some() && kind != Kind::Other,
                    "{agent:?} {kind:?} {text}"
                );
            }
        }
    }

    #[test]
    fn a_denial_is_in_the_words_of_the_agent() {
        let denied = Answer { denied: Some("no".into()), warned: None };
        let said = |agent| denied.render(agent, Kind::BeforeTool);
        assert_eq!(said(Agent::ClaudeCode)["hookSpecificOutput"]["permissionDecision"], "deny");
        assert_eq!(said(Agent::Gemini), json!({ "decision": "deny", "reason": "no" }));
        assert_eq!(said(Agent::Cursor)["permission"], "deny");
        assert_eq!(said(Agent::Copilot)["permissionDecision"], "deny");
        assert_eq!(denied.render(Agent::Codex, Kind::Stop), json!({ "decision": "block", "reason": "no" }));
        assert_eq!(denied.render(Agent::Cursor, Kind::Stop), json!({ "followup_message": "no" }));
    }
}

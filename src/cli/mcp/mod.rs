//! `gatekeep mcp`.

mod tools;

use std::borrow::Cow;

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, InitializeResult,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;

use self::tools::{ALL, Said};
use crate::{error::Fatal, exit::Outcome};

/// Answer an agent's questions as tools of the Model Context Protocol, over standard input and output
///
/// Four tools: is a name free, what is the next free name, may this file be touched, and what does a scan of my change say. They answer for
/// the repository in whose folder the server was started, and change nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {}

const EXAMPLES: &str = "\
Examples:
  claude mcp add gatekeep -- gatekeep mcp
  {\"mcpServers\": {\"gatekeep\": {\"command\": \"gatekeep\", \"args\": [\"mcp\"]}}}";

const INSTRUCTIONS: &str = "Ask before you make a migration, an Edge Function, a decision record or any other file whose name has to be free on \
                            every branch, and before you edit a file outside your task. Scan your change before you say that it is done.";

pub(super) fn run(_: &Args) -> Result<Outcome, Fatal> {
    let fatal = |error: &dyn std::fmt::Display| Fatal::Io {
        path: "standard input".into(),
        source: std::io::Error::other(error.to_string()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| fatal(&error))?;
    let served = runtime.block_on(async {
        let service = Server.serve(rmcp::transport::stdio()).await.map_err(|error| fatal(&error))?;
        service.waiting().await.map_err(|error| fatal(&error))
    });
    runtime.shutdown_background(); // a read of standard input can't be taken back
    served.map(|_| Outcome::Pass)
}

/// Answers one client.
#[derive(Clone)]
struct Server;

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        let mut info = InitializeResult::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("gatekeep", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(INSTRUCTIONS.to_owned());
        info
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |one: &tools::Described| {
            let schema = (one.schema)().as_object().cloned().unwrap_or_default();
            Tool::new(one.name, one.description, schema)
        };
        Ok(ListToolsResult::with_all_items(ALL.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = ALL.iter().find(|one| request.name == one.name) else {
            return Err(ErrorData::invalid_params(Cow::from(format!("there is no tool `{}`", request.name)), None));
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        // a tool reads files and may ask the network: it gets a thread of its own, and a panic in it is an answer
        let said = tokio::task::spawn_blocking(move || (tool.answer)(&arguments)).await;
        let said = said.unwrap_or_else(|_| Err("gatekeep itself failed; please report it".to_owned()));
        Ok(result(said).into())
    }
}

fn result(said: Result<Said, String>) -> CallToolResult {
    match said {
        Ok(Said { text, value }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            result
        }
        Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
    }
}

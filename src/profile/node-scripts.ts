/**
 * The scripts built into Node 4 to 26, as folders with their contents.
 *
 * Source: Node, lib/; logs of each version.
 */
const SCRIPTS = `
./ _debugger _http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _linklist
  _stream_duplex _stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable
  _tls_common _tls_wrap assert async_hooks bootstrap_node buffer child_process cluster configs console
  constants context crypto dgram diagnostics_channel dns domain events freelist fs http http2 https
  inspector module net node os path perf_hooks process punycode querystring quic readline repl sea smalloc
  sqlite stream string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads
  zlib
assert/ strict
dns/ promises
fs/ promises
inspector/ promises
internal/ abort_controller assert async_context_frame async_hooks blob blocklist bootstrap_loaders
  bootstrap_node buffer child_process cli_table code_integrity constants dgram dtrace encoding
  error_serdes errors event_target file fixed_queue freelist freeze_intrinsics fs heap_utils histogram
  http idna inspector_async_hook inspector_network_tracking js_stream_socket linkedlist mime module
  navigator net options priority_queue process promise_hooks querystring repl safe_globals socket_list
  socketaddress stream_base_commons timers trace_events trace_events_async_hooks tty url util
  v8_prof_polyfill v8_prof_processor validators vm wasm_web_api watchdog webidl webstorage worker zip
internal/assert/ assertion_error calltracker utils
internal/async_local_storage/ async_context_frame async_hooks run_scope
internal/bootstrap/ browser cache environment loaders node pre_execution realm shadow_realm
internal/bootstrap/switches/ does_not_own_process_state does_own_process_state is_main_thread
  is_not_main_thread
internal/bootstrap/web/ exposed-wildcard exposed-window-or-worker
internal/child_process/ serialization
internal/cluster/ child master primary round_robin_handle shared_handle utils worker
internal/console/ constructor global inspector
internal/crypto/ aes argon2 certificate cfrg chacha20_poly1305 cipher dhbase diffiehellman ec hash
  hashnames hkdf kem keygen keys mac pbkdf2 provider_mac random rsa scrypt sig util webcrypto webidl x509
internal/debugger/ inspect inspect_client inspect_repl
internal/deps/acorn/acorn-walk/dist/ walk
internal/deps/acorn/acorn/dist/ acorn
internal/deps/cjs-module-lexer/ lexer
internal/deps/cjs-module-lexer/dist/ lexer
internal/deps/minimatch/ index
internal/deps/undici/ undici
internal/dns/ callback_resolver promises utils
internal/events/ abort_listener symbols
internal/fs/ dir promises recursive_watch rimraf streams sync_write_stream utils watchers
internal/fs/cp/ cp cp-sync
internal/fs/read/ context
internal/http2/ compat core util
internal/legacy/ processbinding
internal/loader/ search
internal/main/ bench_runner check_syntax embedding environment eval_stdin eval_string inspect install
  loader_thread main mksnapshot print_bash_completion print_help prof_process repl run run_main_module
  run_third_party_main single_executable_application test_runner tests_entry watch_mode worker_thread
internal/modules/ clear conditions customization_hooks helpers package_json_reader package_map run_main
  typescript utils
internal/modules/cjs/ helpers loader
internal/modules/esm/ CreateDynamicModule DefaultResolve Loader ModuleJob ModuleMap ModuleWrap Translators
  assert cascaded_loader create_dynamic_module default_loader default_resolve fetch_module formats
  get_file_system get_format get_source handle_process_exit hooks import_map initialize_import_meta
  ipc_types load loader module_job module_map package_config resolve shared_constants transform_source
  translators utils worker
internal/modules/esm/assets/ load
internal/per_context/ domexception messageport primordials
internal/perf/ event_loop_delay event_loop_utilization nodetiming observe performance performance_entry
  resource_timing timerify usertiming utils
internal/policy/ manifest sri
internal/process/ coverage esm_loader execution finalization main main_args main_thread_only methods
  modules next_tick per_thread permission policy pre_execution promises report signal stdio task_queues
  warning worker_thread_only write-coverage
internal/quic/ quic state stats symbols
internal/readline/ callbacks emitKeypressEvents interface promises utils
internal/repl/ await history utils
internal/source_map/ prepare_stack_trace source_map source_map_cache source_map_cache_map
internal/streams/ add-abort-signal buffer_list compose destroy duplex duplexify duplexpair end-of-stream
  from lazy_transform legacy operators passthrough pipeline readable state transform utils writable
internal/test/ binding transfer
internal/test_runner/ coverage harness runner test tests_stream utils
internal/test_runner/mock/ loader mock mock_timers
internal/test_runner/reporter/ dot junit lcov spec tap utils v8-serializer
internal/tls/ secure-context secure-pair
internal/util/ colors comparisons compositekey debuglog decorateErrorStack diff disposer inspect
  inspect_colors inspector isError iterable_weak_map object_identity print safe-property-assignment
  stringify_env temporal trace_timer types
internal/util/parse_args/ parse_args utils
internal/v8/ startup_snapshot
internal/vm/ module
internal/watch_mode/ files_watcher
internal/webstreams/ adapters compression encoding queuingstrategies readablestream transfer
  transformstream util writablestream
internal/worker/ io js_transferable messaging
internal/zip/ archive binary buffer compression constants content-size dos entry extra-fields file fs-util
  header-builders headers
path/ posix win32
readline/ promises
stream/ consumers promises web
test/ reporters
timers/ promises
util/ types
`;

/** The scripts built into Node, without `node:` and `.js`: `fs`, `internal/url`. */
export const NODE_SCRIPTS: ReadonlySet<string> = new Set(idsOf(SCRIPTS));

function idsOf(text: string): string[] {
  let folder = "";
  return text
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      if (!word.endsWith("/")) return [folder + word];
      folder = word === "./" ? "" : word;
      return [];
    });
}

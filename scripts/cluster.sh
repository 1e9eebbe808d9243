#!/bin/bash
# A cluster that survives the loss of a part, on one machine: etcd, two PostgreSQL under Patroni, two nodes of Rollbook and
# HAProxy before them, by the files of deploy/patroni. docs/guides/high-availability.md is an evening with it.
set -euo pipefail

usage() {
  cat <<USAGE
scripts/cluster.sh up|down|status|kill|env [NAME…] [--data DIR] [--port PORT]

  up      starts what does not run (all, or the parts named: etcd pg1 pg2 node1 node2 haproxy)
  down    stops it (all, or the parts named); the data stay
  status  what runs, and who leads
  kill    kills the parts named with SIGKILL, as a power cut does
  env     prints what the commands of Rollbook need to work on it: eval "\$(scripts/cluster.sh env)"

  --data  where everything is kept (\$CLUSTER_DATA, or $default_data)
  --port  the address of the API; all others follow from it (\$CLUSTER_PORT, or $default_port)
USAGE
}

default_data=${TMPDIR:-/tmp}/rollbook-cluster
default_port=18080
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
data=${CLUSTER_DATA:-$default_data}
port=${CLUSTER_PORT:-$default_port}
names=(etcd pg1 pg2 node1 node2 haproxy)
account=postgres
pg_bin=/usr/lib/postgresql/15/bin
deadline_seconds=90

main() {
  [ $# -gt 0 ] || { usage >&2; exit 2; }
  local command=$1 chosen=()
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --data) data=${2:?--data needs a folder}; shift 2 ;;
      --port) port=${2:?--port needs a number}; shift 2 ;;
      etcd | pg1 | pg2 | node1 | node2 | haproxy) chosen+=("$1"); shift ;;
      -*) usage >&2; exit 2 ;;
      *) refuse "There is no part $1. There are: ${names[*]}." ;;
    esac
  done
  case $command in status | env) [ ${#chosen[@]} -eq 0 ] || refuse "$command is of all parts: it takes no name." ;; esac
  case $command in
    up) check_installed; prepare; up "${chosen[@]}" ;;
    down) locate; down "${chosen[@]}" ;;
    status) locate; status ;;
    kill) locate; kill_parts "${chosen[@]}" ;;
    env) locate; print_environment ;;
    help | --help | -h) usage ;;
    *) usage >&2; exit 2 ;;
  esac
}

refuse() {
  echo "$1" >&2
  exit 2
}

check_installed() {
  local missing=() program
  for program in etcd patroni patronictl haproxy node setpriv "$pg_bin/postgres"; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || missing+=("${program##*/}")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "Not installed: ${missing[*]}. On Debian 12: apt install etcd-server patroni haproxy postgresql-15" >&2
  exit 1
}

# All ports follow from that of the API. CLUSTER_HOSTS, CLUSTER_PG1_ADDRESS, CLUSTER_PG1_REST and CLUSTER_PG1_ETCD name
# another way from the nodes, the other PostgreSQL and to etcd: a test puts a line between them that it can cut.
locate() {
  # Without links, as /proc names it.
  [ ! -d "$data" ] || data=$(cd "$data" && pwd -P)
  etcd_port=$((port + 10)) etcd_peer_port=$((port + 11))
  hosts=${CLUSTER_HOSTS:-127.0.0.1:$((port + 31)),127.0.0.1:$((port + 32))}
  [ ! -f "$data/passwords" ] || . "$data/passwords"
}

prepare() {
  mkdir -p "$data"
  locate
  if [ ! -f "$data/passwords" ]; then
    (
      umask 077
      for name in superuser_password replication_password rollbook_password key_secret; do
        echo "$name=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
      done >"$data/passwords"
    )
    . "$data/passwords"
  fi
  local name
  for name in "${names[@]}"; do
    mkdir -p "$data/$name"
    # The account of PostgreSQL must reach its own folders and no others.
    case $name in etcd | pg1 | pg2) is_root && chown "$account:" "$data/$name" || true ;; esac
  done
}

is_root() { [ "$(id -u)" -eq 0 ]; }

up() {
  local wanted=("${@:-${names[@]}}") name
  for name in "${wanted[@]}"; do is_up "$name" || start "$name"; done
  # Of single parts nothing is awaited: whoever brings one back may watch.
  [ $# -eq 0 ] || return 0
  await "the nodes are ready" nodes_ready
  echo "ready: http://127.0.0.1:$port, logs and data in $data"
}

start() {
  local n=${1: -1}
  case $1 in
    etcd)
      launch etcd owned /usr/bin/etcd --name etcd --data-dir "$data/etcd/data" --enable-v2 \
        --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
        --listen-peer-urls "http://127.0.0.1:$etcd_peer_port" \
        --initial-advertise-peer-urls "http://127.0.0.1:$etcd_peer_port" \
        --initial-cluster "etcd=http://127.0.0.1:$etcd_peer_port"
      await "etcd answers" etcd_answers
      ;;
    pg1 | pg2)
      local reached=CLUSTER_PG${n}_ADDRESS rest=CLUSTER_PG${n}_REST etcd=CLUSTER_PG${n}_ETCD
      (
        export PATRONI_NAME=$1
        export PATRONI_ETCD_HOSTS=${!etcd:-127.0.0.1:$etcd_port}
        # What stands before etcd is not to be passed by.
        [ -z "${!etcd:-}" ] || export PATRONI_ETCD_USE_PROXIES=on
        export PATRONI_RESTAPI_LISTEN=127.0.0.1:$((port + 20 + n))
        export PATRONI_RESTAPI_CONNECT_ADDRESS=${!rest:-$PATRONI_RESTAPI_LISTEN}
        export PATRONI_POSTGRESQL_LISTEN=127.0.0.1:$((port + 30 + n))
        export PATRONI_POSTGRESQL_CONNECT_ADDRESS=${!reached:-$PATRONI_POSTGRESQL_LISTEN}
        export PATRONI_POSTGRESQL_DATA_DIR=$data/$1/data
        export PATRONI_POSTGRESQL_PGPASS=$data/$1/pgpass
        export PATRONI_SUPERUSER_PASSWORD=$superuser_password
        export PATRONI_REPLICATION_PASSWORD=$replication_password
        launch "$1" owned patroni "$root/deploy/patroni/patroni.yml"
      )
      ;;
    node1 | node2)
      await "there is a database" make_database
      (
        eval "$(print_environment)"
        export PORT=$((port + n)) ADMIN_PORT=$((port + 40 + n))
        launch "$1" own node --max-semi-space-size=8 "$root/scripts/rollbook.mjs" serve --no-demo
      )
      ;;
    haproxy)
      (
        export API_ADDRESS=127.0.0.1:$port
        export NODE1_ADDRESS=127.0.0.1:$((port + 1)) NODE2_ADDRESS=127.0.0.1:$((port + 2))
        launch haproxy own /usr/sbin/haproxy -db -f "$root/deploy/patroni/haproxy.cfg"
      )
      ;;
  esac
}

# In a folder of its own, by which its processes are found again; PostgreSQL refuses to run as root.
launch() {
  local name=$1 whose=$2 run=()
  shift 2
  if [ "$whose" = owned ] && is_root; then run=(setpriv "--reuid=$account" "--regid=$account" --init-groups); fi
  cd "$data/$name"
  setsid "${run[@]}" "$@" >>"$data/$name.log" 2>&1 </dev/null &
}

# What belongs to a part: its processes work in its folder.
processes() {
  { find /proc -maxdepth 2 -name cwd \( -lname "$data/$1" -o -lname "$data/$1/*" \) 2>/dev/null || true; } |
    cut -d/ -f3
}

is_up() { [ -n "$(processes "$1")" ]; }

kill_parts() {
  [ $# -gt 0 ] || refuse "kill needs the names of parts. There are: ${names[*]}."
  local name
  for name in "$@"; do signal KILL "$name"; done
}

signal() {
  local pids
  pids=$(processes "$2")
  # Some may have ended meanwhile.
  [ -z "$pids" ] || kill "-$1" $pids 2>/dev/null || true
}

down() {
  local wanted=("${@:-${names[@]}}") before_etcd=() name waited=0
  # Whoever was stopped must run to hear that it is to end.
  for name in "${wanted[@]}"; do signal CONT "$name"; done
  for name in haproxy node1 node2 pg1 pg2; do
    [[ " ${wanted[*]} " == *" $name "* ]] || continue
    before_etcd+=("$name")
    case $name in
      # Patroni stops its PostgreSQL, so that one is not told itself.
      pg*) if is_up "$name"; then kill -TERM $(main_process "$name") 2>/dev/null || true; fi ;;
      *) signal TERM "$name" ;;
    esac
  done
  while [ $waited -lt 200 ] && any_up "${before_etcd[@]}"; do sleep 0.1; waited=$((waited + 1)); done
  waited=0
  if [[ " ${wanted[*]} " == *" etcd "* ]]; then signal TERM etcd; fi
  while [ $waited -lt 50 ] && any_up "${wanted[@]}"; do sleep 0.1; waited=$((waited + 1)); done
  for name in "${wanted[@]}"; do signal KILL "$name"; done
  await "what is to stop has ended" none_up "${wanted[@]}"
}

# Patroni itself, or whatever of the part is left without it.
main_process() { find /proc -maxdepth 2 -name cwd -lname "$data/$1" 2>/dev/null | cut -d/ -f3 || true; }

any_up() { for name in "$@"; do ! is_up "$name" || return 0; done; return 1; }
none_up() { ! any_up "$@"; }

status() {
  local name pids
  for name in "${names[@]}"; do
    pids=$(processes "$name" | tr '\n' ' ')
    printf '%-8s %s\n' "$name" "${pids:-does not run}"
  done
  is_up etcd || return 0
  PATRONI_ETCD_HOSTS=127.0.0.1:$etcd_port timeout 20 patronictl -c "$root/deploy/patroni/patroni.yml" list
  for name in 1 2; do
    echo "node$name: $(fetch $((port + name)) /readyz || echo 'no answer')"
  done
}

# The same for both nodes: PUBLIC_URL is part of what they answer, and so of its tags.
print_environment() {
  echo "export DATABASE_URL='postgres://rollbook:$rollbook_password@$hosts/rollbook'"
  echo "export KEY_SECRET=$key_secret PUBLIC_URL=http://localhost:$port"
}

# Whichever of the two leads.
as_superuser() {
  PGPASSWORD=$superuser_password PGCONNECT_TIMEOUT=3 timeout 15 "$pg_bin/psql" -X -q -v ON_ERROR_STOP=1 \
    "postgres://postgres@$hosts/$1?target_session_attrs=read-write" "${@:2}"
}

make_database() {
  local found
  found=$(as_superuser postgres -Atc "select count(*) from pg_database where datname = 'rollbook'" 2>/dev/null) || return 1
  [ "$found" = 0 ] || return 0
  as_superuser postgres -v "password=$rollbook_password" >/dev/null 2>&1 <<'SQL'
select 'create role rollbook login' where not exists (select from pg_roles where rolname = 'rollbook') \gexec
alter role rollbook password :'password';
create database rollbook owner rollbook;
SQL
}

fetch() { exec 3<>"/dev/tcp/127.0.0.1/$1" && printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3 && timeout 5 sed -n '$p' <&3; } 2>/dev/null

etcd_answers() { fetch "$etcd_port" /health | grep -q true; }
nodes_ready() {
  local n
  for n in 0 1 2; do [ "$(fetch $((port + n)) /readyz)" = ready ] || return 1; done
}

await() {
  local what=$1 until=$((SECONDS + deadline_seconds)) is_told=
  shift
  until "$@"; do
    [ -n "$is_told" ] || echo "waiting until $what"
    is_told=1
    if [ $SECONDS -ge $until ]; then
      echo "In $deadline_seconds seconds it did not happen that $what. The ends of the logs in $data:" >&2
      tail -v -n 4 "$data"/*.log >&2
      exit 1
    fi
    sleep 0.2
  done
}

main "$@"

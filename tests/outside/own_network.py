"""Runs a command in a network of its own, and writes down every address that it sends to.

    python own_network.py REPORT COMMAND...

The network has nothing but loopback, to which every address of the world leads: whatever a program
sends, with whatever library, arrives there and is seen, and nothing leaves the computer. It needs
Linux, and root or the right to make user namespaces; without it, the exit code is UNAVAILABLE.
"""

from __future__ import annotations

import ctypes
import fcntl
import ipaddress
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

UNAVAILABLE = 77
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1
RTM_NEWROUTE, RTA_OIF, NLM_REQUEST_ACK_CREATE = 24, 4, 0x1 | 0x4 | 0x400
RT_TABLE_LOCAL, RTPROT_STATIC, RT_SCOPE_HOST, RTN_LOCAL = 255, 4, 254, 2
ETH_P_ALL, ETH_P_IP, ETH_P_IPV6 = 0x3, 0x800, 0x86DD
SOL_PACKET, PACKET_STATISTICS = 263, 6
DNS = (53, 853, 5353, 5355)
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmp"}
WITH_PORTS = ("tcp", "udp")
PACKET_OUTGOING = 4  # loopback shows each packet twice, as it leaves and as it comes
INTERFACE, LOOPBACK = "lo", "loopback"


def main(report: str, *command: str) -> int:
    """Run the command, and write what it sent: a count for each address."""
    try:
        enter()
        packets = listen()
    except OSError as error:
        sys.stderr.write(f"no network of its own: {error}\n")
        return UNAVAILABLE
    sent: Counter[str] = Counter()
    ended = threading.Event()
    reader = threading.Thread(target=read, args=(packets, sent, ended))
    reader.start()
    try:
        code = subprocess.run(command, check=False).returncode
    finally:
        ended.set()
        reader.join()
    _, lost = struct.unpack("II", packets.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    Path(report).write_text(json.dumps({"sent": sent, "lost": lost}), encoding="utf-8")
    return code


def enter() -> None:
    """Leave this network for one with loopback alone. Raises OSError where that is not allowed."""
    user, group = os.getuid(), os.getgid()
    if user == 0:
        unshare(CLONE_NEWNET)
    else:
        unshare(CLONE_NEWUSER | CLONE_NEWNET)
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", INTERFACE.encode(), IFF_UP))
    for family in (socket.AF_INET, socket.AF_INET6):
        lead_everything_to_loopback(family)


def unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def lead_everything_to_loopback(family: int) -> None:
    """Do as `ip route add local default dev lo`, by the kernel's own messages (man 7 rtnetlink)."""
    interface = struct.pack("HHI", 8, RTA_OIF, socket.if_nametoindex(INTERFACE))
    route = struct.pack(
        "8BI", family, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_STATIC, RT_SCOPE_HOST, RTN_LOCAL, 0
    )
    size = 16 + len(route) + len(interface)
    head = struct.pack("IHHII", size, RTM_NEWROUTE, NLM_REQUEST_ACK_CREATE, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.send(head + route + interface)
        error = -struct.unpack_from("i", kernel.recv(4096), 16)[0]
    if error and family == socket.AF_INET:  # computers without IPv6 send nothing by it either
        raise OSError(error, os.strerror(error))


def listen() -> socket.socket:
    """A socket that gets every packet of loopback, from now on."""
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    packets.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)
    packets.bind((INTERFACE, ETH_P_ALL))
    packets.settimeout(0.05)
    return packets


def read(packets: socket.socket, sent: Counter[str], ended: threading.Event) -> None:
    """Count packets until the command has ended and all that it sent is read."""
    while True:
        was_over = ended.is_set()
        try:
            packet, (_, protocol, direction, *_) = packets.recvfrom(65536)
        except TimeoutError:
            if was_over:
                return
        else:
            if direction == PACKET_OUTGOING and (target := target_of(packet, protocol)):
                sent[target] += 1


def target_of(packet: bytes, protocol: int) -> str:
    """Return "loopback", or the address that is not, with its port; "" if it is no IP."""
    if protocol == ETH_P_IP:
        head, kind, first, size = (packet[0] & 15) * 4, packet[9], 12, 4
    elif protocol == ETH_P_IPV6:
        head, kind, first, size = 40, packet[6], 8, 16
    else:
        return ""
    name = PROTOCOLS.get(kind, f"protocol {kind}")
    ports = struct.unpack_from("!HH", packet, head) if name in WITH_PORTS else (0, 0)
    ends = [ipaddress.ip_address(packet[at : at + size]) for at in (first, first + size)]
    if all(end.is_loopback for end in ends) and not set(ports) & set(DNS):
        return LOOPBACK
    # Of a reply too: the server is the end with the lower port.
    port, address = min(zip(ports, ends, strict=True))
    return f"{name} {address} port {port}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env bash
# What the library tells Open MPI before it starts: which one-sided component, and how often to look at UCX.
#
#     mpi_setup.sh PROGRAM
set -euo pipefail

program=$1 failed=0
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/.openmpi"

# expect WHAT SETTING...: runs under just these settings; OB1 in WHAT is what Open MPI is told over pml/ob1.
# Without OMPI_MCA_pml this machine's devices would decide.
expect() {
    local wanted=$1 major said
    shift
    read -r major said < <(env -i HOME="$home" "$@" "$program")
    if [ "$said" != "${wanted/OB1/$(over_ob1 "$major")}" ]; then
        printf '%s: told "%s" instead of "%s"\n' "$*" "$said" "$wanted" && failed=1
    fi
}

over_ob1() {
    if [ "$1" -eq 4 ]; then
        printf '^ucx,rdma'
    elif grep -qs '^ *osc *=' /etc/openmpi/openmpi-mca-params.conf; then
        printf -- '-' # the system's administrator has chosen
    else
        printf '^ucx'
    fi
}

many=OMPI_COMM_WORLD_LOCAL_SIZE=100000
expect 'OB1 -' OMPI_MCA_pml=ob1
expect 'OB1 -' OMPI_MCA_pml=ob1 "$many"
expect 'OB1 -' OMPI_MCA_pml=^ucx
expect '^rdma,pt2pt -' OMPI_MCA_pml=ucx
expect '^rdma,pt2pt -' OMPI_MCA_pml=cm,ucx OMPI_COMM_WORLD_LOCAL_SIZE=1
expect '^rdma,pt2pt 1' OMPI_MCA_pml=ucx "$many"
# What the user set stands.
expect 'ucx -' OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx
expect 'ucx 1' OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx "$many"
expect '^rdma,pt2pt 7' OMPI_MCA_pml=ucx OMPI_MCA_opal_common_ucx_progress_iterations=7 "$many"
printf 'osc = rdma\n# pml = ob1\npml= ucx\nopal_common_ucx_progress_iterations =5\n' >"$home/.openmpi/mca-params.conf"
expect '- -' "$many"
expect '- -' OMPI_MCA_pml=ob1
# Devices count whose driver UCX is made for: Omni-Path, EFA and Ethernet cards lie in the same folder.
rm "$home/.openmpi/mca-params.conf"
# shellcheck disable=SC2016 # the shell below expands it
device='mount -t tmpfs none /sys/class && mkdir -p /sys/class/infiniband/one/device &&
    ln -s ../../../../bus/pci/drivers/$0 /sys/class/infiniband/one/device/driver && exec "$@"'
if unshare --mount sh -c "$device" none true 2>/dev/null; then
    for driver in mlx5_core hfi1 rdma_rxe; do
        wanted='OB1 -'
        [ $driver != mlx5_core ] || wanted='^rdma,pt2pt -'
        said=$(unshare --mount sh -c "$device" $driver env -i HOME="$home" OMPI_MCA_pml=^cm "$program")
        read -r major said <<<"$said"
        if [ "$said" != "${wanted/OB1/$(over_ob1 "$major")}" ]; then
            printf 'with a device of %s: told "%s" instead of "%s"\n' $driver "$said" "$wanted" && failed=1
        fi
    done
else
    printf 'not tried: devices of other makers, as this machine does not let the test mount\n'
fi
exit $failed
